import t from 'tap';
import { aFolder, aPayload, appendAll, memoryFolder, openSpool } from './_support/spool-fixture.js';

t.test('a thread that dies is replaced, and nothing is lost', async (t) => {
  const folder = aFolder(t, memoryFolder);
  const spool = await openSpool(t, { folder });
  const { epoch } = spool;
  const count = 120_000;
  for (let from = 0; from < count; from += 2_000) {
    await Promise.all(Array.from({ length: 2_000 }, () => spool.append('task', aPayload('x')).durable));
  }
  // far more rows at a time than the thread has memory for
  await t.rejects(spool.read('task', 0, count, count), { name: 'ThreadError', code: '' });
  t.same(await appendAll(spool, 'task', ['y']), [count + 1]);
  t.same(spool.epoch, epoch);
  t.equal(spool.stats().rows, count + 1);
  t.equal((await spool.read('task', count - 5, 100, 1_000)).length, 6);
});
