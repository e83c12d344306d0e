import t from 'tap';
import { runManySeeds } from './many-seeds.js';
import { runSeed } from './run.js';

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

t.test('a partition of an hour costs no result', async (t) => {
  const { breaches } = await runSeed(1, { faults: ['partition of an hour'], troubleMs: 3_700_000 });
  t.strictSame(breaches, []);
});
