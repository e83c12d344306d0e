import t from 'tap';
import { runSeed } from './run.js';
import { describeFailure } from './seed-outcome.js';

/** More: many-seeds.long.test.ts. As many as one likes: `npm run simulate`. */
const SEEDS = 2;

t.test('whatever breaks, when all is mended every invariant holds', async (t) => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const report = await runSeed(seed);
    if (report.breaches.length > 0) t.fail(describeFailure(report));
  }
  t.pass(`${SEEDS} seeds`);
});

/** Breaches in the run of a seed with these faults and no others. */
async function breachesOf(seed: number, options: Parameters<typeof runSeed>[1]) {
  return (await runSeed(seed, options)).breaches;
}

t.test('a partition of a second or of a minute costs no result', async (t) => {
  t.strictSame(await breachesOf(1, { faults: ['partition'] }), []);
});

t.test('a partition in one direction costs no result', async (t) => {
  t.strictSame(await breachesOf(1, { faults: ['one-directional'] }), []);
});

t.test('results that a database lost with its last second are delivered again', async (t) => {
  t.strictSame(await breachesOf(1, { faults: ['database failed over'] }), []);
});

t.test('results that a database lost with its last second are delivered again by idle agents', async (t) => {
  const options = { faults: ['database failed over'], isQuietWhenMended: true };
  t.strictSame(await breachesOf(1, options), []);
});

t.test('a seed is the same run each time', async (t) => {
  const [first, second] = [await runSeed(3), await runSeed(3)];
  t.equal(first.hash, second.hash);
  t.equal(first.events, second.events);
  t.ok(first.events > 1_000, 'something happens in it');
  t.not((await runSeed(4)).hash, first.hash, 'another seed is another run');
});
