import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import {
  aFolder,
  aPayload,
  appendAll,
  describeRow,
  findBreaches,
  openSpool,
  readAll,
  untilRows,
} from './_support/spool-fixture.js';
import { MarkAheadError, SpoolClosedError, SpoolOpenError } from './errors.js';
import { Spool } from './spool.js';

const MINUTE_MS = 60_000;

t.test('numbers are assigned at once, in call order, without a gap, in each lane by itself', async (t) => {
  const spool = await openSpool(t);
  const numbers = ['task', 'task', 'check', 'task', 'check'] as const;
  t.same(
    numbers.map((lane) => spool.append(lane, aPayload('x')).sequence),
    [1, 2, 1, 3, 2],
  );
  t.same(spool.state(), { task: { last: 3, acked: 0 }, check: { last: 2, acked: 0 } });
});

t.test('a row can be read before its commit is over, and the same afterwards', async (t) => {
  const spool = await openSpool(t);
  const texts = Array.from({ length: 350 }, (_, i) => `row ${i}`);
  const written = appendAll(spool, 'task', texts);
  const expected = texts.map((text, i) => `${i + 1} ${text}`);
  t.same(await readAll(spool, 'task', 0), expected, 'while commits run');
  await written;
  t.same(await readAll(spool, 'task', 0), expected, 'when all are in the file');
  t.same(await readAll(spool, 'check', 0), []);
});

t.test(
  'a row of the check lane is read only when the disk has it, so that no number but its own is ever sent',
  async (t) => {
    const spool = await openSpool(t);
    const { durable } = spool.append('check', aPayload('x'));
    t.same(await readAll(spool, 'check', 0), []);
    await durable;
    t.same(await readAll(spool, 'check', 0), ['1 x']);
  },
);

t.test('reading stops at the limits of rows and bytes, but always gives one row', async (t) => {
  const spool = await openSpool(t);
  const appended = appendAll(spool, 'task', ['a', 'b', 'c', 'd'], 100);
  const numbers = async (after: number, limit: number, maxBytes: number) =>
    (await spool.read('task', after, limit, maxBytes)).map((row) => row.sequence);
  for (const where of ['memory', 'file']) {
    t.same(await numbers(0, 3, 10_000), [1, 2, 3], `rows, from ${where}`);
    t.same(await numbers(1, 9, 250), [2, 3], `bytes, from ${where}`);
    t.same(await numbers(3, 9, 1), [4], `a row larger than the limit, from ${where}`);
    t.same(await numbers(4, 9, 10_000), [], `nothing left, from ${where}`);
    await appended;
  }
});

t.test('a closed spool has everything, and goes on above every number it ever gave out', async (t) => {
  const folder = aFolder(t);
  const first = await openSpool(t, { folder });
  const { epoch } = first;
  for (const text of ['a', 'b', 'c']) first.append('task', aPayload(text));
  await first.close();
  t.throws(() => first.append('task', aPayload('late')), SpoolClosedError);

  const second = await openSpool(t, { folder });
  t.same(second.epoch, epoch);
  t.same(await readAll(second, 'task', 0), ['1 a', '2 b', '3 c']);
  await second.acknowledge('task', 3);
  await second.close();

  const clock = new FakeClock();
  clock.advance(60 * MINUTE_MS);
  const third = await openSpool(t, { folder, clock });
  t.same(third.state().task, { last: 3, acked: 3 });
  t.equal(third.append('task', aPayload('d')).sequence, 4);
});

t.test('an acknowledgement takes effect at once, may come twice or late, and never from the future', async (t) => {
  const spool = await openSpool(t);
  await appendAll(spool, 'task', ['a', 'b', 'c']);
  const acknowledged = spool.acknowledge('task', 2);
  t.equal(spool.state().task.acked, 2);
  await acknowledged;
  await spool.acknowledge('task', 2);
  await spool.acknowledge('task', 1);
  t.equal(spool.state().task.acked, 2);
  t.equal(spool.stats().rows, 1);
  await t.rejects(spool.acknowledge('task', 4), new MarkAheadError('task', 4, 3));
  t.equal(spool.state().task.acked, 2);
});

t.test('an acknowledgement may overtake the commit of its row', async (t) => {
  const folder = aFolder(t);
  const spool = await openSpool(t, { folder });
  await appendAll(spool, 'task', ['a']);
  const { durable } = spool.append('task', aPayload('b'));
  const { durable: next } = spool.append('task', aPayload('c'));
  await spool.acknowledge('task', 2);
  await Promise.all([durable, next]);
  await spool.close();
  const again = await openSpool(t, { folder });
  t.same(again.state().task, { last: 3, acked: 2 });
  t.same(await readAll(again, 'task', 0), ['1 a', '2 b', '3 c'], 'the replay window has it all the same');
});

t.test('acknowledged rows are deleted fifteen minutes later', async (t) => {
  const clock = new FakeClock();
  const spool = await openSpool(t, { clock });
  await appendAll(spool, 'task', ['a', 'b', 'c']);
  await spool.acknowledge('task', 2);
  clock.advance(14 * MINUTE_MS);
  await spool.acknowledge('task', 2);
  await appendAll(spool, 'task', ['d']);
  t.same(await readAll(spool, 'task', 0), ['1 a', '2 b', '3 c', '4 d']);
  clock.advance(2 * MINUTE_MS);
  await appendAll(spool, 'task', ['e']);
  t.same(await readAll(spool, 'task', 0), ['3 c', '4 d', '5 e']);
  t.same(spool.droppedRanges('task'), [], 'nothing was lost by it');
});

t.test('the fifteen minutes begin with the acknowledgement, however late it is written', async (t) => {
  const clock = new FakeClock();
  const spool = await openSpool(t, { clock });
  await spool.append('task', aPayload('a')).durable;
  const acknowledged = spool.acknowledge('task', 1);
  clock.advance(16 * MINUTE_MS);
  await acknowledged;
  t.same(await readAll(spool, 'task', 0), []);
});

t.test('replay windows end without a call', async (t) => {
  const clock = new FakeClock();
  const spool = await openSpool(t, { clock });
  await appendAll(spool, 'check', ['a']);
  await spool.acknowledge('check', 1);
  clock.advance(17 * MINUTE_MS);
  await untilRows(spool, 'check', 0);
  t.equal(spool.stats().rows, 0);
});

t.test('a mark below what was acknowledged makes the replay window wait again', async (t) => {
  const clock = new FakeClock();
  const folder = aFolder(t);
  const spool = await openSpool(t, { clock, folder });
  await spool.resume({ task: 0, check: 0 });
  await appendAll(spool, 'task', ['a', 'b']);
  await spool.acknowledge('task', 2);
  clock.advance(16 * MINUTE_MS);
  await appendAll(spool, 'task', ['c', 'd', 'e']);
  await spool.acknowledge('task', 4);

  t.equal(await spool.resume({ task: 1, check: 0 }), 'resumed');
  t.same(spool.state().task, { last: 5, acked: 1 });
  t.same(
    spool.droppedRanges('task'),
    [{ first: 2, last: 2, reason: 'expired' }],
    'what has left it is said to be gone',
  );
  t.same(await readAll(spool, 'task', 1), ['3 c', '4 d', '5 e']);
  t.equal(spool.stats().rows, 3);
  t.same(await findBreaches(spool), []);
  clock.advance(16 * MINUTE_MS);
  await appendAll(spool, 'check', ['sweeps']);
  t.same(await readAll(spool, 'task', 1), ['3 c', '4 d', '5 e'], 'and they wait for as long as it takes');
  await spool.close();

  const again = await openSpool(t, { clock, folder });
  t.same(again.state().task, { last: 5, acked: 1 });
  t.equal(again.stats().rows, 4);
  t.same(await findBreaches(again), []);
});

t.test('a mark above the last number starts a new epoch', async (t) => {
  const spool = await openSpool(t);
  const { epoch } = spool;
  await spool.resume({ task: 0, check: 0 });
  await appendAll(spool, 'task', ['a', 'b', 'c']);
  await spool.acknowledge('task', 1);
  t.equal(await spool.resume({ task: 7, check: 0 }), 'new-epoch');
  t.notSame(spool.epoch, epoch);
  t.same(spool.state().task, { last: 2, acked: 0 });
  t.same(await readAll(spool, 'task', 0), ['1 b', '2 c'], 'whose the others are nobody knows: better twice than never');
});

t.test('rows appended after a crash are not taken for those that the crash lost under the same numbers', async (t) => {
  const folder = aFolder(t);
  const before = await openSpool(t, { folder });
  await appendAll(before, 'task', ['a', 'b', 'c']);
  await before.close();

  // the control plane has 1..5: 4 and 5 were sent before the crash and never committed
  const after = await openSpool(t, { folder });
  await appendAll(after, 'task', ['new 4', 'new 5', 'new 6']);
  t.equal(await after.resume({ task: 5, check: 0 }), 'new-epoch');
  t.same(await readAll(after, 'task', 0), ['1 new 4', '2 new 5', '3 new 6']);
  t.same(after.state().task, { last: 3, acked: 0 });

  await after.acknowledge('task', 3);
  t.equal(await after.resume({ task: 3, check: 0 }), 'resumed', 'from then on its own numbers count');
});

t.test('a new epoch carries over what is not acknowledged, in order, with its gaps', async (t) => {
  const folder = aFolder(t);
  const spool = await openSpool(t, { folder, maxBytes: 400 });
  await appendAll(spool, 'task', ['a', 'b', 'c', 'd', 'e', 'f'], 100);
  await appendAll(spool, 'check', ['z']);
  t.same(spool.droppedRanges('task'), [{ first: 1, last: 3, reason: 'spool_full' }]);
  await spool.acknowledge('task', 1);
  const { epoch } = spool;
  const started = spool.startNewEpoch('test');
  t.equal(spool.append('task', aPayload('g')).sequence, 6, 'numbers of the new epoch count at once');
  await started;
  t.notSame(spool.epoch, epoch);
  t.same(spool.state(), { task: { last: 6, acked: 0 }, check: { last: 1, acked: 0 } });
  t.same(spool.droppedRanges('task'), [{ first: 1, last: 2, reason: 'spool_full' }]);
  t.same(await readAll(spool, 'task', 0), ['3 d', '4 e', '5 f', '6 g']);
  const { epoch: newEpoch } = spool;
  await spool.close();

  const again = await openSpool(t, { folder, maxBytes: 400 });
  t.same(again.epoch, newEpoch);
  t.same(await readAll(again, 'task', 0), ['3 d', '4 e', '5 f', '6 g']);
  t.same(await readAll(again, 'check', 0), ['1 z']);
  t.same(await findBreaches(again), []);
});

t.test('a read that a new epoch overtakes gives nothing', async (t) => {
  const spool = await openSpool(t);
  await appendAll(spool, 'task', ['a', 'b']);
  const reading = spool.read('task', 0, 10, 10_000);
  await spool.startNewEpoch('test');
  t.same(await reading, []);
});

t.test('statistics show what waits, since when, and that no error is present', async (t) => {
  const clock = new FakeClock();
  const spool = await openSpool(t, { clock });
  const nothing = { rows: 0, bytes: 0, oldestAt: null };
  t.same(spool.stats(), {
    ...nothing,
    lanes: { task: nothing, check: nothing },
    dropped: 0,
    droppedFor: { spool_full: 0, expired: 0, corrupt: 0 },
    heldBytes: 0,
    maxBytes: 64 * 1024 * 1024,
    maxAgeMs: 72 * 60 * MINUTE_MS,
    problem: null,
    setAside: null,
  });
  const appendedAt = clock.now();
  const written = appendAll(spool, 'check', ['a', 'b'], 100);
  t.match(spool.stats(), { rows: 2, bytes: 200, oldestAt: appendedAt }, 'while the commit runs');
  await written;
  clock.advance(MINUTE_MS);
  await appendAll(spool, 'task', ['c'], 50);
  t.match(spool.stats(), { rows: 3, bytes: 250, oldestAt: appendedAt });
  t.same(spool.stats().lanes, {
    task: { rows: 1, bytes: 50, oldestAt: appendedAt + MINUTE_MS },
    check: { rows: 2, bytes: 200, oldestAt: appendedAt },
  });
  await spool.acknowledge('check', 2);
  t.match(spool.stats(), { rows: 1, bytes: 50, oldestAt: appendedAt + MINUTE_MS, heldBytes: 250 });
});

t.test('another process can look into the spool while it is open, and after', async (t) => {
  const clock = new FakeClock();
  const folder = aFolder(t);
  t.throws(() => Spool.inspect(folder), SpoolOpenError, 'where there is none');
  const spool = await openSpool(t, { folder, clock });
  const appendedAt = clock.now();
  await appendAll(spool, 'task', ['a', 'b', 'c'], 10);
  await spool.acknowledge('task', 1);
  const expected = {
    epoch: Buffer.from(spool.epoch).toString('hex'),
    dropped: { spool_full: 0, expired: 0, corrupt: 0 },
    setAside: null,
    lanes: {
      task: { last: 3, acked: 1, rows: 2, bytes: 20, heldBytes: 30, oldestAt: appendedAt, dropped: [] },
      check: { last: 0, acked: 0, rows: 0, bytes: 0, heldBytes: 0, oldestAt: null, dropped: [] },
    },
  };
  t.same(Spool.inspect(folder), expected);
  await spool.close();
  t.same(Spool.inspect(folder), expected);
  const again = await openSpool(t, { folder, clock });
  t.same((await again.read('task', 1, 9, 999)).map(describeRow), ['2 b', '3 c']);
});

t.test('what the spool writes is for its owner only', async (t) => {
  const folder = aFolder(t);
  const umask = process.umask(0);
  t.teardown(() => process.umask(umask));
  const spool = await openSpool(t, { folder });
  await appendAll(spool, 'task', ['a']);
  const names = readdirSync(folder);
  t.ok(names.includes('spool.db-wal'));
  for (const name of names) t.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
});

t.test('a folder is made where it is missing, and one that cannot be made is named', async (t) => {
  const folder = join(aFolder(t), 'new', 'spool');
  await openSpool(t, { folder });
  t.equal(statSync(folder).mode & 0o777, 0o700);
  await t.rejects(openSpool(t, { folder: '/dev/null/spool' }), {
    name: 'SpoolOpenError',
    message: /"\/dev\/null\/spool\/spool\.db"/,
  });
});
