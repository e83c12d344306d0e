import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { LoopTurns } from './loop-turns.js';

t.test('of all long work together there is one step in a turn of the event loop', async (t) => {
  const clock = new FakeClock();
  const turns = new LoopTurns(clock);
  const steps: number[] = [];
  let turn = 0;
  const work = async () => {
    for (let step = 0; step < 3; step += 1) {
      steps.push(turn);
      clock.advance(5);
      await turns.pass();
    }
  };
  let isOver = false;
  const all = Promise.all([work(), work(), work()]).then(() => (isOver = true));
  while (!isOver) {
    turn += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await all;
  const later = steps.filter((at) => at > 1);
  t.ok(later.length > 0);
  t.equal(new Set(later).size, later.length);
});
