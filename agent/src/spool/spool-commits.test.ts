import t from 'tap';
import { FakeClock } from '../../test/_support/fake-clock.js';
import { until } from '../../test/_support/until.js';
import { aPayload, findBreaches, openSpool, readAll } from './_support/spool-fixture.js';
import { type FileThread, SpoolThread, type StartFileThread } from './spool-thread.js';
import type { CommitRequest } from './thread-messages.js';

/** A requested commit. */
interface Asked extends Pick<CommitRequest, 'number' | 'after'> {
  readonly rows: number;
}

/** A thread that refuses the commit of that number, because it is told to follow one that never was. */
function refusing(number: number, asked: Asked[]): StartFileThread {
  return async (options) => {
    const { thread, opened } = await SpoolThread.start(options);
    const call: FileThread['call'] = (name, request, transfer) => {
      if (name !== 'commit') return thread.call(name, request, transfer);
      const commit = request as CommitRequest;
      asked.push({ number: commit.number, after: commit.after, rows: commit.rows.positions.length });
      return thread.call('commit', commit.number === number ? { ...commit, after: -1 } : commit, transfer) as never;
    };
    return { opened, thread: { call, close: () => thread.close(), terminate: () => thread.terminate() } };
  };
}

t.test('of two commits that run at once the second fails with the first, and no row is lost or doubled', async (t) => {
  const clock = new FakeClock();
  const asked: Asked[] = [];
  const spool = await openSpool(t, { clock, startThread: refusing(2, asked) });
  const texts = Array.from({ length: 350 }, (_, index) => `row ${index}`);
  const appended = texts.map((text) => spool.append('task', aPayload(text)).durable);
  await until('the refusal', () => spool.stats().problem !== null);
  t.same(asked, [
    { number: 1, after: null, rows: 1 },
    { number: 2, after: null, rows: 100 },
    { number: 3, after: 2, rows: 100 },
  ]);
  clock.advance(1_000);
  await Promise.all(appended);
  t.equal(spool.stats().problem, null);
  t.same(
    await readAll(spool, 'task', 0),
    texts.map((text, index) => `${index + 1} ${text}`),
  );
  t.same(await findBreaches(spool), []);
});

t.test('what was appended while a commit ran is in the next one, and an idle spool commits nothing', async (t) => {
  const asked: Asked[] = [];
  const spool = await openSpool(t, { startThread: refusing(-1, asked) });
  await Promise.all(Array.from({ length: 250 }, (_, index) => spool.append('check', aPayload(`${index}`)).durable));
  t.same(
    asked.map(({ rows }) => rows),
    [1, 100, 100, 49],
  );
});
