import t from 'tap';
import { isSteady } from './steady.js';

t.test('a rate is steady when three successive windows lie within 5 %', async (t) => {
  const cases = [
    { rates: [100, 100], steady: false },
    { rates: [100, 104, 102], steady: true },
    { rates: [100, 106, 104], steady: false },
    { rates: [10, 1_000, 1_010, 990], steady: true },
    { rates: [1_000, 1_010, 990, 700], steady: false },
    { rates: [0, 0, 0], steady: false },
  ];
  for (const { rates, steady } of cases) t.equal(isSteady(rates), steady, rates.join(', '));
});
