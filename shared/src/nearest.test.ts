import t from 'tap';
import { nearestOf } from './nearest.js';

const known = ['name', 'target', 'interval_s', 'expected_status', 'max_redirects', 'count'];

for (const [word, expected] of [
  ['targt', 'target'],
  ['tagret', 'target'],
  ['expectedStatus', 'expected_status'],
  ['max-redirects', 'max_redirects'],
  ['interval', 'interval_s'],
  ['COUNT', 'count'],
  ['colour', null],
  ['', null],
  ['_', null],
  ['x'.repeat(100_000), null],
] as const) {
  t.test(`the known word that resembles "${word.slice(0, 20)}" most is ${expected}`, async (t) => {
    t.equal(nearestOf(word, known), expected);
  });
}
