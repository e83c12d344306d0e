import { setImmediate } from 'node:timers/promises';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { pino } from 'pino';
import t from 'tap';
import { aFolder, aPayload, appendAll, findBreaches, openSpool, readAll } from './_support/spool-fixture.js';
import { Spool } from './spool.js';
import { type CommitRequest, type FileThread, type StartFileThread, startSpoolThread } from './spool-thread.js';

interface Asked extends Pick<CommitRequest, 'number' | 'after'> {
  readonly rows: number;
}

/** A thread that refuses the commit of that number, because it is to follow one that never was. */
function refusing(number: number, asked: Asked[]): StartFileThread {
  return async (options) => {
    const { thread, opened } = await startSpoolThread(options);
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
    { number: 1, after: null, rows: 100 },
    { number: 2, after: 1, rows: 100 },
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

t.test('what one turn of the loop appended is in one commit, and an idle spool commits nothing', async (t) => {
  const asked: Asked[] = [];
  const spool = await openSpool(t, { startThread: refusing(-1, asked) });
  const rows = () => asked.map((commit) => commit.rows);
  await Promise.all(Array.from({ length: 250 }, (_, index) => spool.append('check', aPayload(`${index}`)).durable));
  t.same(rows(), [100, 100, 50]);
  const first = spool.append('check', aPayload('first')).durable;
  await setImmediate();
  const whileItRuns = ['second', 'third'].map((text) => spool.append('check', aPayload(text)).durable);
  await Promise.all([first, ...whileItRuns]);
  t.same(rows().slice(3), [1, 2]);
});

t.test('an acknowledgement travels with the next rows, and alone after 100 ms without any', async (t) => {
  const clock = new FakeClock();
  const asked: Asked[] = [];
  const log = pino({ level: 'silent' });
  const spool = await Spool.open({ folder: aFolder(t), startThread: refusing(-1, asked), clock, log });
  t.teardown(() => spool.close());
  await appendAll(spool, 'task', ['a', 'b', 'c']);
  const withRows = spool.acknowledge('task', 1);
  clock.advance(99);
  await setImmediate();
  t.equal(asked.length, 1);
  await appendAll(spool, 'task', ['d']);
  await withRows;
  t.equal(asked.length, 2);
  const alone = spool.acknowledge('task', 2);
  clock.advance(100);
  await alone;
  t.same(
    asked.map((commit) => commit.rows),
    [3, 1, 0],
  );
});
