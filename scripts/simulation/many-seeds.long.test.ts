import t from 'tap';
import { runManySeeds } from './many-seeds.js';
import { type BrokenProduct, broken } from './mutations.js';
import { describeFailure } from './report.js';
import { type RunReport, runSeed } from './run.js';

// as many as continuous integration has time for; `npm run simulate` runs a thousand
const SEEDS = 200;

t.test('two hundred seeds hold every invariant', async (t) => {
  let runs = 0;
  await runManySeeds({
    first: 1,
    count: SEEDS,
    onOutcome: ({ failure }) => {
      runs += 1;
      if (failure !== null) t.fail(failure);
    },
  });
  t.equal(runs, SEEDS);
});

t.test('no fault alone costs a result, whatever the seed', async (t) => {
  for (const seed of [2, 3, 4, 5, 6])
    for (const fault of ['partition', 'one-directional', 'database failed over'] as const)
      for (const isQuietWhenMended of [false, true]) {
        const { breaches } = await runSeed(seed, { faults: [fault], isQuietWhenMended });
        t.strictSame(breaches, [], `${fault}, seed ${seed}`);
      }
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
