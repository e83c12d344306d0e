import t from 'tap';
import { type BrokenProduct, broken } from './mutations.js';
import { describeFailure } from './report.js';
import { type RunReport, runSeed } from './run.js';

/** More: many-seeds.long.test.ts. As many as one likes: `npm run simulate`. */
const SEEDS = 4;

t.test('whatever breaks, when all is mended every invariant holds', async (t) => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const report = await runSeed(seed);
    if (report.breaches.length > 0) t.fail(describeFailure(report));
  }
  t.pass(`${SEEDS} seeds`);
});

/** The runs of these seeds, with these faults and no others. */
async function breachesOf(seeds: readonly number[], options: Parameters<typeof runSeed>[1]) {
  const reports = [];
  for (const seed of seeds) reports.push(await runSeed(seed, options));
  return reports.flatMap(({ breaches }) => breaches);
}

t.test('a partition of a second or of a minute costs no result', async (t) => {
  t.strictSame(await breachesOf([1, 2, 3], { faults: ['partition'] }), []);
});

t.test('a partition in one direction costs no result', async (t) => {
  t.strictSame(await breachesOf([1, 2, 3], { faults: ['one-directional'] }), []);
});

t.test('results that a database lost with its last second are delivered again', async (t) => {
  t.strictSame(await breachesOf([1, 2, 3], { faults: ['database failed over'] }), []);
});

t.test('results that a database lost with its last second are delivered again by idle agents', async (t) => {
  const options = { faults: ['database failed over'], isQuietWhenMended: true };
  t.strictSame(await breachesOf([1, 2, 3, 4, 5, 6], options), []);
});

t.test('a seed is the same run each time', async (t) => {
  const [first, second] = [await runSeed(3), await runSeed(3)];
  t.equal(first.hash, second.hash);
  t.equal(first.events, second.events);
  t.ok(first.events > 1_000, 'something happens in it');
  t.not((await runSeed(4)).hash, first.hash, 'another seed is another run');
});

/** Seeds within which each is noticed, should its own seed be a run of other events by now. */
const NOTICED_WITHIN = 30;

t.test('a product that is broken on purpose is found out', async (t) => {
  for (const product of broken) {
    const report = await firstToNotice(product);
    t.ok(report, `${product.name}: ${product.breaks}`);
    const text = report === null ? '' : describeFailure(report);
    t.match(
      text,
      new RegExp(`^seed ${report?.seed}: .* breaches\\n[^]*simulate -- --seed ${report?.seed} `),
      'the seed is told',
    );
  }
});

async function firstToNotice({ breaks, seed: known, ...options }: BrokenProduct): Promise<RunReport | null> {
  const others = Array.from({ length: NOTICED_WITHIN }, (_, index) => index + 1);
  for (const seed of [known, ...others]) {
    const report = await runSeed(seed, options);
    if (report.breaches.some(({ id }) => id === breaks)) return report;
  }
  return null;
}
