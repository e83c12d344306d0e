import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import type { LaneNumbers } from '../records/catch-up.js';
import { FlowControl } from './flow-control.js';

/** A link that remembers what it was given; one that does not read takes nothing. */
class Taker {
  readonly granted: LaneNumbers[] = [];
  readonly spool = { rows: 0 };
  isBehind = false;
  constructor(private now: LaneNumbers) {}

  grant(credits: LaneNumbers): boolean {
    if (this.isBehind || (credits.task === this.now.task && credits.check === this.now.check)) return false;
    this.now = credits;
    this.granted.push(credits);
    return true;
  }
}

function aFlow(count: number) {
  const clock = new FakeClock();
  const takers: Taker[] = [];
  let pressure = { waitMs: 0, waitingBytes: 0 };
  const links = { all: () => takers, size: count };
  const flow = new FlowControl({ clock, links, pressure: () => pressure });
  for (let i = 0; i < count; i += 1) takers.push(new Taker(flow.initial));
  flow.watch();
  return { clock, flow, takers, setWait: (waitMs: number) => void (pressure = { waitMs, waitingBytes: 0 }) };
}

t.test('credits are sent only when they change', async (t) => {
  const { clock, takers, setWait } = aFlow(2);
  clock.advance(10_000);
  t.strictSame(takers[0]?.granted, []);
  setWait(3_000);
  clock.advance(10_000);
  t.strictSame(takers[0]?.granted, [{ task: 100, check: 0 }]);
});

t.test('when PostgreSQL is itself again all is granted again, step by step', async (t) => {
  const { clock, takers, setWait } = aFlow(1);
  setWait(3_000);
  clock.advance(1_000);
  setWait(10);
  clock.advance(5_000);
  const checks = (takers[0]?.granted ?? []).map(({ check }) => check);
  t.strictSame(checks, [0, 16, 32, 64, 128, 256, 512, 1024, 2000]);
});

t.test('an agent that does not read gets its credits when it does', async (t) => {
  const { clock, takers, setWait } = aFlow(1);
  const [taker] = takers as [Taker];
  taker.isBehind = true;
  setWait(3_000);
  clock.advance(5_000);
  t.strictSame(taker.granted, []);
  taker.isBehind = false;
  clock.advance(250);
  t.strictSame(taker.granted, [{ task: 100, check: 0 }]);
});

t.test('ten thousand links get their credits within a second, in turns that yield the loop', async (t) => {
  const { clock, takers, setWait } = aFlow(10_000);
  const granted = () => takers.filter((taker) => taker.granted.length > 0).length;
  setWait(3_000);
  clock.advance(250);
  t.equal(granted(), 500);
  clock.advance(1_000);
  t.equal(granted(), 10_000);
});
