import t from 'tap';
import { FakeClock } from '../../test/_support/fake-clock.js';
import { ClockSync } from './clock-sync.js';

const HOUR_MS = 3_600_000;

/** One exchange over a path of `there` and `back` milliseconds with a server `aheadMs` ahead of this machine. */
function exchange(clock: FakeClock, sync: ClockSync, path: { there: number; back: number; aheadMs: number }): void {
  const sentMs = clock.monotonicMs();
  clock.advance(path.there);
  const serverAt = clock.now() + path.aheadMs;
  clock.advance(path.back);
  sync.add({ sentMs, receivedMs: clock.monotonicMs(), serverReceivedAt: serverAt, serverSentAt: serverAt });
}

t.test('before any exchange nothing is claimed', async (t) => {
  t.same(new ClockSync(new FakeClock()).estimate(), { offsetMs: 0, uncertaintyMs: -1 });
});

t.test('a symmetric path gives the offset exactly, and half its round trip as uncertainty', async (t) => {
  const clock = new FakeClock();
  const sync = new ClockSync(clock);
  exchange(clock, sync, { there: 20, back: 20, aheadMs: HOUR_MS });
  t.same(sync.estimate(), { offsetMs: HOUR_MS, uncertaintyMs: 20 });
});

t.test('the error of an asymmetric path stays within the uncertainty', async (t) => {
  const clock = new FakeClock();
  const sync = new ClockSync(clock);
  exchange(clock, sync, { there: 100, back: 0, aheadMs: HOUR_MS });
  const { offsetMs, uncertaintyMs } = sync.estimate();
  t.ok(Math.abs(offsetMs - HOUR_MS) <= uncertaintyMs);
});

t.test('the exchange with the shortest round trip counts, out of the last eight', async (t) => {
  const clock = new FakeClock();
  const sync = new ClockSync(clock);
  exchange(clock, sync, { there: 1, back: 1, aheadMs: 0 });
  for (let i = 0; i < 7; i += 1) exchange(clock, sync, { there: 50, back: 50, aheadMs: 0 });
  t.equal(sync.estimate().uncertaintyMs, 1);
  exchange(clock, sync, { there: 50, back: 50, aheadMs: 0 });
  t.equal(sync.estimate().uncertaintyMs, 50);
});

t.test('a wall clock set ten years ahead does not move the server’s time', async (t) => {
  const clock = new FakeClock();
  const sync = new ClockSync(clock);
  exchange(clock, sync, { there: 5, back: 5, aheadMs: 0 });
  const serverNow = clock.now();
  clock.setWall(serverNow + 10 * 365 * 24 * HOUR_MS);
  t.equal(clock.now() + sync.estimate().offsetMs, serverNow);
});

t.test('time the server spent answering is no part of the round trip', async (t) => {
  const clock = new FakeClock();
  const sync = new ClockSync(clock);
  const serverAt = clock.now();
  sync.add({ sentMs: 0, receivedMs: 110, serverReceivedAt: serverAt + 5, serverSentAt: serverAt + 105 });
  t.equal(sync.estimate().uncertaintyMs, 5);
});

t.test('an exchange whose times run backwards is ignored', async (t) => {
  const sync = new ClockSync(new FakeClock());
  sync.add({ sentMs: 0, receivedMs: 10, serverReceivedAt: 1000, serverSentAt: 900 });
  sync.add({ sentMs: 0, receivedMs: 10, serverReceivedAt: 1000, serverSentAt: 2000 });
  sync.add({ sentMs: 0, receivedMs: 10, serverReceivedAt: Number.NaN, serverSentAt: Number.NaN });
  t.equal(sync.estimate().uncertaintyMs, -1);
});

t.test('a new link forgets the exchanges of the one before', async (t) => {
  const clock = new FakeClock();
  const sync = new ClockSync(clock);
  exchange(clock, sync, { there: 1, back: 1, aheadMs: HOUR_MS });
  sync.restart();
  t.equal(sync.estimate().uncertaintyMs, -1);
});
