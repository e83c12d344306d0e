import t from 'tap';
import { durationText, parseDuration } from './duration.js';

t.test('durations are read with and without a unit, and anything else is refused with examples', async (t) => {
  for (const [text, seconds] of [
    ['0', 0],
    ['90', 90],
    ['30s', 30],
    ['5m', 300],
    ['5min', 300],
    ['1h30m', 5_400],
    ['2d', 172_800],
  ] as const)
    t.equal(parseDuration(text), seconds, text);
  for (const text of ['', 'soon', '-5', '5x', '5 m', '1.5h', '30m1h', '9999999999'])
    t.throws(() => parseDuration(text), /must be a duration such as 30s, 5m, 2h or 1d/, text);
});

t.test('a duration is shown in its two greatest units', async (t) => {
  for (const [seconds, text] of [
    [-3, '0 s'],
    [59.6, '1 min'],
    [240, '4 min'],
    [3_605, '1 h'],
    [84_600, '23 h 30 min'],
    [90_061, '1 d 1 h'],
  ] as const)
    t.equal(durationText(seconds), text);
});
