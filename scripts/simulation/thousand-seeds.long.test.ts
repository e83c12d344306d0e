import t from 'tap';
import { runManySeeds } from './many-seeds.js';

const SEEDS = 1_000;

t.test('a thousand seeds hold every invariant', { timeout: 500_000 }, async (t) => {
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
