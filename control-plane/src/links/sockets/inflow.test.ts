import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { Inflow } from './inflow.js';

const PASS_MS = 10_000;

/** A link that is read whenever it may be, whose every frame takes `frameMs`: what it used of the time that passed. */
function flood(frameMs: number, passMs: number): { usedMs: number; longestMs: number } {
  const clock = new FakeClock();
  let isPaused = false;
  const pause = () => void (isPaused = true);
  const resume = () => void (isPaused = false);
  const inflow = new Inflow({ clock, pause, resume });
  let usedMs = 0;
  let [inARow, longestMs] = [0, 0];
  while (clock.monotonicMs() < passMs) {
    if (isPaused) {
      clock.advance(1);
      inARow = 0;
      continue;
    }
    clock.advance(frameMs);
    usedMs += frameMs;
    inARow += frameMs;
    longestMs = Math.max(longestMs, inARow);
    inflow.spend(frameMs);
  }
  return { usedMs, longestMs };
}

t.test(
  'a link that floods gets half of the event loop in the long run, and never more than a moment at once',
  async (t) => {
    for (const frameMs of [1, 16, 50]) {
      const { usedMs, longestMs } = flood(frameMs, PASS_MS);
      t.ok(usedMs <= PASS_MS * 0.5 + 100, `frames of ${frameMs} ms: ${Math.round(usedMs)} ms of ten seconds`);
      t.ok(usedMs > PASS_MS * 0.3, 'and is served all the same');
      t.ok(longestMs <= 40 + 2 * frameMs, `${Math.round(longestMs)} ms at once`);
    }
  },
);

t.test(
  'an honest link is held back for a moment after a full batch, and never by what it did a second ago',
  async (t) => {
    const clock = new FakeClock();
    const inflow = new Inflow({ clock, pause: () => {}, resume: () => {} });
    for (let second = 0; second < 60; second += 1) {
      for (let beat = 0; beat < 5; beat += 1) inflow.spend(0.1);
      t.notOk(inflow.isWaiting, 'heartbeats');
      inflow.spend(30);
      clock.advance(100);
      t.notOk(inflow.isWaiting, 'a tenth of a second after a batch');
      clock.advance(900);
    }
  },
);

t.test('rows that wait for the database hold the link back until they are stored', async (t) => {
  const clock = new FakeClock();
  const said: string[] = [];
  const inflow = new Inflow({ clock, pause: () => said.push('pause'), resume: () => said.push('resume') });
  let store = () => {};
  const stored = new Promise<void>((resolve) => {
    store = resolve;
  });
  const held = inflow.hold(5 * 1024 * 1024, stored);
  t.same(said, ['pause']);
  t.ok(inflow.isWaiting);
  store();
  await held;
  t.same(said, ['pause', 'resume']);
  inflow.end();
});
