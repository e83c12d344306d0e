import t from 'tap';
import { passedThresholds } from './expiry-thresholds.js';

const NOW = Date.UTC(2026, 0, 1, 12);
const inDays = (days: number) => new Date(NOW + days * 86_400_000).toISOString();

t.test('a threshold is passed with its number of whole days left, or fewer', async (t) => {
  const cases: readonly (readonly [string, readonly number[], number | null])[] = [
    [inDays(15), [], null],
    [inDays(14.9), [14], 14],
    [inDays(3.9), [3, 14], 3],
    [inDays(0.5), [3, 14], 0],
    [inDays(-0.5), [3, 14], -1],
    ['2026-01-10', [14], 8],
    ['Jan 10 00:00:00 2026 GMT', [14], 8],
    ['never', [], null],
  ];
  for (const [moment, thresholds, daysLeft] of cases) {
    const near = passedThresholds(moment, [14, 3], NOW);
    t.same(near?.thresholds ?? [], thresholds, moment);
    t.equal(near?.daysLeft ?? null, daysLeft, moment);
  }
  t.match(passedThresholds(inDays(1), [3, 3], NOW), { thresholds: [3] });
});
