import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { TimeSlices } from './time-slices.js';

/** A clock whose loop turns when a test lets it. */
class TurningClock extends FakeClock {
  #waiting: (() => void)[] = [];

  override afterInput(callback: () => void): void {
    this.#waiting.push(callback);
  }

  /** Turns the loop until nothing waits; how often it did. */
  turnAll(): number {
    let turns = 0;
    for (; this.#waiting.length > 0; turns += 1) for (const callback of this.#waiting.splice(0)) callback();
    return turns;
  }
}

function aThread() {
  const clock = new TurningClock();
  const slices = new TimeSlices(clock);
  const done: string[] = [];
  /** Runs `steps` steps of one millisecond each, and records them. */
  const run = (owner: string, steps: number, onSpent?: (ms: number) => void) =>
    slices.run(
      owner,
      (function* () {
        for (let step = 0; step < steps; step += 1) {
          clock.advance(1);
          done.push(owner);
          yield;
        }
        return owner;
      })(),
      onSpent,
    );
  return { clock, slices, done, run };
}

t.test('short work of a single owner is done at once', async (t) => {
  const { done, run } = aThread();
  const result = run('a', 3);
  t.same(done, ['a', 'a', 'a']);
  t.equal(await result, 'a');
});

t.test('long work goes on in slices, in turns of its owners, each one’s in its order', async (t) => {
  const { clock, done, run } = aThread();
  const results = [run('a', 10), run('a', 1), run('b', 2), run('c', 6)];
  t.equal(done.length, 4, 'a slice, then others have a word');
  clock.turnAll();
  t.same(done.join('').match(/(.)\1*/g), ['aaaaaaaa', 'bb', 'cccc', 'aa', 'cc', 'a']);
  t.same(await Promise.all(results), ['a', 'a', 'b', 'c']);
});

t.test('an owner is charged for every slice but the first, which its call has taken', async (t) => {
  const { clock, run } = aThread();
  const charged: number[] = [];
  const results = [run('a', 10, (ms) => charged.push(ms)), run('b', 3)];
  clock.turnAll();
  t.same(await Promise.all(results), ['a', 'b']);
  t.same(charged, [4, 2]);
});

t.test('failing work fails alone, and idle resolves when all work is done', async (t) => {
  const { clock, slices, run } = aThread();
  const failing = slices.run(
    'b',
    (function* () {
      yield;
      throw new RangeError('bad row');
    })(),
  );
  await t.rejects(failing, RangeError);
  const result = run('a', 10);
  let isIdle = false;
  const idle = slices.idle().then(() => {
    isIdle = true;
  });
  await Promise.resolve();
  t.notOk(isIdle);
  clock.turnAll();
  t.equal(await result, 'a');
  await idle;
  await slices.idle();
});
