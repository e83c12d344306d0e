import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { aFolder, aPayload, appendAll, findBreaches, openSpool, readAll, untilRows } from './_support/spool-fixture.js';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

t.test('over its bytes a spool drops the oldest, whatever its lane, and says which', async (t) => {
  const clock = new FakeClock();
  const spool = await openSpool(t, { clock, maxBytes: 500 });
  for (const lane of ['check', 'task', 'check', 'task', 'check', 'task', 'check'] as const) {
    clock.advance(1);
    await appendAll(spool, lane, ['x'], 100);
  }
  t.same(spool.droppedRanges('check'), [{ first: 1, last: 1, reason: 'spool_full' }]);
  t.same(spool.droppedRanges('task'), [{ first: 1, last: 1, reason: 'spool_full' }]);
  t.same(await readAll(spool, 'check', 0), ['2 x', '3 x', '4 x']);
  t.same(await readAll(spool, 'task', 0), ['2 x', '3 x']);
  t.match(spool.stats(), { rows: 5, bytes: 500, dropped: 2 });
  t.same(await findBreaches(spool), []);
});

t.test('acknowledged rows go before any row that waits', async (t) => {
  const clock = new FakeClock();
  const spool = await openSpool(t, { clock, maxBytes: 500 });
  await appendAll(spool, 'check', ['a', 'b'], 100);
  clock.advance(1);
  await appendAll(spool, 'task', ['c', 'd', 'e'], 100);
  await spool.acknowledge('task', 2);
  await appendAll(spool, 'check', ['f', 'g'], 100);
  t.same(await readAll(spool, 'check', 0), ['1 a', '2 b', '3 f', '4 g']);
  t.same(await readAll(spool, 'task', 0), ['3 e']);
  t.same([...spool.droppedRanges('task'), ...spool.droppedRanges('check')], []);
  await appendAll(spool, 'check', ['h'], 100);
  t.same(spool.droppedRanges('check'), [{ first: 1, last: 1, reason: 'spool_full' }]);
});

t.test('a row larger than the whole spool is dropped, not kept and not forgotten', async (t) => {
  const spool = await openSpool(t, { maxBytes: 500 });
  await appendAll(spool, 'task', ['a', 'b'], 100);
  await appendAll(spool, 'task', ['huge'], 501);
  t.same(spool.droppedRanges('task'), [{ first: 1, last: 3, reason: 'spool_full' }]);
  t.same(await appendAll(spool, 'task', ['c'], 100), [4]);
  t.same(await readAll(spool, 'task', 0), ['4 c']);
});

t.test('a row is dropped when it has waited too long, without a call', async (t) => {
  const clock = new FakeClock();
  const spool = await openSpool(t, { clock, maxAgeMs: 72 * HOUR_MS });
  await appendAll(spool, 'task', ['a', 'b']);
  clock.advance(HOUR_MS);
  await appendAll(spool, 'task', ['c']);
  clock.advance(71 * HOUR_MS - MINUTE_MS);
  await appendAll(spool, 'check', ['z']);
  t.equal(spool.stats().rows, 4, 'not yet');
  clock.advance(2 * MINUTE_MS);
  await untilRows(spool, 'task', 1);
  t.same(await readAll(spool, 'task', 0), ['3 c']);
  t.same(spool.droppedRanges('task'), [{ first: 1, last: 2, reason: 'expired' }]);
  t.same(spool.droppedRanges('check'), []);
});

t.test('a wall clock set ten years ahead expires nothing', async (t) => {
  const clock = new FakeClock();
  const spool = await openSpool(t, { clock });
  await appendAll(spool, 'task', ['a']);
  clock.setWall(clock.now() + 10 * 365 * 24 * HOUR_MS);
  clock.advance(HOUR_MS);
  await appendAll(spool, 'task', ['b']);
  t.same(await readAll(spool, 'task', 0), ['1 a', '2 b']);
});

t.test('age goes on while no agent runs, and a clock set back makes nothing younger', async (t) => {
  const folder = aFolder(t);
  const startMs = Date.UTC(2026, 0, 1);
  const first = await openSpool(t, { folder, clock: new FakeClock(startMs) });
  await appendAll(first, 'task', ['a']);
  await first.close();

  const earlier = await openSpool(t, { folder, clock: new FakeClock(startMs - 1000 * HOUR_MS) });
  await appendAll(earlier, 'task', ['b']);
  await earlier.close();

  const clock = new FakeClock(startMs - 1000 * HOUR_MS + 73 * HOUR_MS);
  const late = await openSpool(t, { folder, clock });
  t.same(await appendAll(late, 'task', ['c']), [3]);
  t.same(await readAll(late, 'task', 0), ['3 c']);
  t.same(late.droppedRanges('task'), [{ first: 1, last: 2, reason: 'expired' }]);
});

t.test('dropped ranges outlive restarts until an acknowledgement passes them', async (t) => {
  const folder = aFolder(t);
  const first = await openSpool(t, { folder, maxBytes: 300 });
  await appendAll(first, 'task', ['a', 'b', 'c', 'd', 'e'], 100);
  await first.close();

  const second = await openSpool(t, { folder, maxBytes: 300 });
  t.same(second.droppedRanges('task'), [{ first: 1, last: 2, reason: 'spool_full' }]);
  t.equal(second.stats().dropped, 2);
  await second.acknowledge('task', 1);
  t.same(second.droppedRanges('task'), [{ first: 2, last: 2, reason: 'spool_full' }]);
  await second.acknowledge('task', 2);
  t.same(second.droppedRanges('task'), []);
  await second.close();

  const third = await openSpool(t, { folder, maxBytes: 300 });
  t.same(third.droppedRanges('task'), []);
  t.same(await readAll(third, 'task', 0), ['3 c', '4 d', '5 e']);
});

t.test('a spool whose every row was dropped still goes on above them', async (t) => {
  const folder = aFolder(t);
  const clock = new FakeClock();
  const first = await openSpool(t, { folder, clock, maxAgeMs: HOUR_MS });
  await appendAll(first, 'task', ['a', 'b']);
  clock.advance(2 * HOUR_MS);
  await untilRows(first, 'task', 0);
  await first.close();

  const second = await openSpool(t, { folder, clock });
  t.equal(second.append('task', aPayload('c')).sequence, 3);
  t.same(second.droppedRanges('task'), [{ first: 1, last: 2, reason: 'expired' }]);
});
