import t from 'tap';
import { equalAllChecks } from './_support/rollup-histories.js';

for (const seed of [1, 2])
  t.test(`roll-ups equal the aggregates of all checks, with any delay and in any order (seed ${seed})`, (t) =>
    equalAllChecks(t, { seed }),
  );
