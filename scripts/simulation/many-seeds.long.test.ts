import t from 'tap';
import { runManySeeds } from './many-seeds.js';

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
