import t from 'tap';
import { durationText, parseDuration } from './durations.js';

t.test('a duration is a number with a unit, and is written so that it can be read again', async (t) => {
  for (const [text, ms] of [
    ['5s', 5_000],
    ['500ms', 500],
    ['1.5 S', 1_500],
    ['2min', 120_000],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['7d', 604_800_000],
  ] as const) {
    t.equal(parseDuration(text), ms, text);
    t.equal(parseDuration(durationText(ms)), ms, text);
  }
  for (const text of ['', '5', 's', '-5s', '5 parsecs', '1s2ms']) t.equal(parseDuration(text), null, text);
});
