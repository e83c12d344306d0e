import t from 'tap';
import { durationOption, durationText, parseDuration } from './durations.js';

t.test('a duration is numbers with units, and is written so that it can be read again', async (t) => {
  for (const [text, ms] of [
    ['5s', 5_000],
    ['500ms', 500],
    ['1.5 S', 1_500],
    ['2min', 120_000],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['1h30m', 5_400_000],
    ['7d', 604_800_000],
  ] as const) {
    t.equal(parseDuration(text), ms, text);
    t.equal(parseDuration(durationOption(ms)), ms, text);
  }
  for (const text of ['', '5', 's', '-5s', '5 parsecs', '1h30', 'h1']) t.equal(parseDuration(text), null, text);
});

t.test('a duration for people has its two greatest units, and none that is zero', async (t) => {
  for (const [ms, text] of [
    [-3_000, '0 s'],
    [999, '1 s'],
    [59_600, '1 min'],
    [61_000, '1 min 1 s'],
    [3_605_000, '1 h'],
    [84_600_000, '23 h 30 min'],
    [90_061_000, '1 d 1 h'],
  ] as const)
    t.equal(durationText(ms), text);
});
