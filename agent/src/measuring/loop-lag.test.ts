import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { isDisturbed, LoopLag } from './loop-lag.js';

t.test('a loop that is on time has no lag', async (t) => {
  const clock = new FakeClock();
  const end = new LoopLag(clock).watch();
  clock.advance(100);
  t.equal(end(), 0);
});

t.test('the largest delay of a watch counts', async (t) => {
  const clock = new FakeClock();
  const lag = new LoopLag(clock);
  const end = lag.watch();
  clock.timersLateMs = 30;
  clock.advance(100);
  clock.timersLateMs = 0;
  clock.advance(100);
  t.equal(end(), 30);
});

t.test('a delay that is still going on when the watch ends counts', async (t) => {
  const clock = new FakeClock();
  clock.timersLateMs = 1000;
  const end = new LoopLag(clock).watch();
  clock.advance(45);
  t.equal(end(), 43);
});

t.test('delays of the loop before a watch began do not count', async (t) => {
  const clock = new FakeClock();
  const lag = new LoopLag(clock);
  clock.timersLateMs = 50;
  const endFirst = lag.watch();
  clock.advance(40);
  const endSecond = lag.watch();
  clock.advance(12);
  t.equal(endFirst(), 50);
  t.equal(endSecond(), 12);
});

t.test('no timer is left when nothing is watched', async (t) => {
  const clock = new FakeClock();
  new LoopLag(clock).watch()();
  clock.advance(2);
  t.equal(clock.pendingTimers, 0);
});

t.test('a result is disturbed above 5 ms and 2 % of its duration, and above 20 ms in any case', async (t) => {
  const isSpoilt = (lagMs: number, durationMs: number) => isDisturbed(lagMs, { durationMs, isByKernel: false });
  t.equal(isSpoilt(5, 10), false);
  t.equal(isSpoilt(5.1, 10), true);
  t.equal(isSpoilt(7, 400), false);
  t.equal(isSpoilt(9, 400), true);
  t.equal(isSpoilt(20, 60_000), false);
  t.equal(isSpoilt(20.1, 60_000), true);
});

t.test('times of the kernel are disturbed above 100 ms alone', async (t) => {
  for (const durationMs of [10, 60_000]) {
    t.equal(isDisturbed(100, { durationMs, isByKernel: true }), false);
    t.equal(isDisturbed(100.1, { durationMs, isByKernel: true }), true);
  }
});

t.test('one long delay does not mean that the loop is behind; delays in a row do, until they end', async (t) => {
  const clock = new FakeClock();
  let recoveries = 0;
  const lag = new LoopLag(clock, () => {
    recoveries += 1;
  });
  const end = lag.watch();
  clock.timersLateMs = 1000;
  clock.advance(2);
  clock.timersLateMs = 0;
  clock.advance(1100);
  t.equal(lag.isBehind, false);
  t.equal(recoveries, 0);
  clock.timersLateMs = 6;
  clock.advance(1000);
  t.equal(lag.isBehind, true);
  clock.timersLateMs = 4;
  clock.advance(1000);
  t.equal(lag.isBehind, false);
  t.equal(recoveries, 1);
  t.equal(end(), 1000);
});

t.test('a delay of a second ago does not count as current', async (t) => {
  const clock = new FakeClock();
  const lag = new LoopLag(clock);
  clock.timersLateMs = 15;
  const end = lag.watch();
  clock.advance(1000);
  end();
  clock.advance(900);
  lag.watch()();
  t.equal(lag.isBehind, true);
  clock.advance(2000);
  lag.watch()();
  t.equal(lag.isBehind, false);
});
