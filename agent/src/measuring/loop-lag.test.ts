import t from 'tap';
import { FakeClock } from '../../test/_support/fake-clock.js';
import { isDisturbed, LoopLag } from './loop-lag.js';

/** A clock whose timers fire late: a blocked event loop. */
class LateClock extends FakeClock {
  lateMs = 0;

  override after(ms: number, callback: () => void): () => void {
    return super.after(ms + this.lateMs, callback);
  }
}

t.test('a loop that is on time has no lag', async (t) => {
  const clock = new LateClock();
  const end = new LoopLag(clock).watch();
  clock.advance(100);
  t.equal(end(), 0);
});

t.test('the largest delay of a watch counts', async (t) => {
  const clock = new LateClock();
  const lag = new LoopLag(clock);
  const end = lag.watch();
  clock.lateMs = 30;
  clock.advance(100);
  clock.lateMs = 0;
  clock.advance(100);
  t.equal(end(), 30);
});

t.test('a delay that is still going on when the watch ends counts', async (t) => {
  const clock = new LateClock();
  clock.lateMs = 1000;
  const end = new LoopLag(clock).watch();
  clock.advance(45);
  t.equal(end(), 40);
});

t.test('what delayed the loop before a watch began does not count against it', async (t) => {
  const clock = new LateClock();
  const lag = new LoopLag(clock);
  clock.lateMs = 50;
  const endFirst = lag.watch();
  clock.advance(40);
  const endSecond = lag.watch();
  clock.advance(15);
  t.equal(endFirst(), 50);
  t.equal(endSecond(), 15);
});

t.test('no timer is left when nothing is watched', async (t) => {
  const clock = new LateClock();
  new LoopLag(clock).watch()();
  clock.advance(5);
  t.equal(clock.pendingTimers, 0);
});

t.test('a result is disturbed above 5 ms and 5 % of its duration', async (t) => {
  t.equal(isDisturbed(5, 10), false);
  t.equal(isDisturbed(5.1, 10), true);
  t.equal(isDisturbed(40, 1000), false);
  t.equal(isDisturbed(51, 1000), true);
});
