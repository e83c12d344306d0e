import t from 'tap';
import { Slices, STEPS_PER_SLICE } from './slices.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Does so many steps, and notes each in `done`. */
async function work(name: string, { steps, done, signal }: { steps: number; done: string[]; signal?: AbortSignal }) {
  const slices = new Slices(signal);
  for (let step = 0; step < steps; step += 1) {
    await slices.spend(1);
    done.push(name);
  }
}

t.test('what takes few steps takes no turn', async (t) => {
  const slices = new Slices();
  t.equal(slices.spend(10), null);
  t.equal(slices.spend(10), null);
});

t.test('long work lets the loop turn after each slice', async (t) => {
  const done: string[] = [];
  const working = work('a', { steps: 3 * STEPS_PER_SLICE, done });
  const counts: number[] = [];
  for (let before = -1; before < 3 * STEPS_PER_SLICE; before = done.length) {
    counts.push(done.length);
    await turn();
  }
  await working;
  const slices = counts.map((count, index) => count - (counts[index - 1] ?? 0));
  t.ok(Math.max(...slices) <= STEPS_PER_SLICE, `${slices}`);
});

t.test('however many work at once, one slice runs in a turn, and all come to their end', async (t) => {
  const done: string[] = [];
  const all = Array.from({ length: 20 }, (_, index) => work(`${index}`, { steps: 2 * STEPS_PER_SLICE, done }));
  let [isOver, most] = [false, 0];
  void Promise.all(all).then(() => {
    isOver = true;
  });
  for (let before = done.length; !isOver; before = done.length) {
    await turn();
    most = Math.max(most, done.length - before);
  }
  t.equal(done.length, 40 * STEPS_PER_SLICE);
  // this test's own turn may come before and then after theirs
  t.ok(most <= 2 * STEPS_PER_SLICE, `${most} steps in a turn`);
});

t.test('work that is no longer wanted stops at its next slice', async (t) => {
  const done: string[] = [];
  const abort = new AbortController();
  const working = work('a', { steps: 10 * STEPS_PER_SLICE, done, signal: abort.signal });
  abort.abort(new Error('gone'));
  await t.rejects(working, { message: 'gone' });
  t.ok(done.length < STEPS_PER_SLICE);
});

t.test('what is heavier than a slice gets one of its own', async (t) => {
  const slices = new Slices();
  await slices.spend(10 * STEPS_PER_SLICE);
  t.ok(slices.spend(1) instanceof Promise);
});
