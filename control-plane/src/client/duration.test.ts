import t from 'tap';
import { parseSeconds } from './duration.js';

t.test('seconds are read with and without a unit, and anything else is refused with examples', async (t) => {
  for (const [text, seconds] of [
    ['0', 0],
    ['90', 90],
    ['5min', 300],
    ['1h30m', 5_400],
  ] as const)
    t.equal(parseSeconds(text), seconds, text);
  for (const text of ['', 'soon', '-5', '5x', '500ms', '99999999999999'])
    t.throws(() => parseSeconds(text), /must be a duration such as 30s, 5m, 2h or 1d/, text);
});
