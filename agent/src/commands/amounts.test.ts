import t from 'tap';
import { durationText, sizeText } from './amounts.js';

t.test('amounts have at most two units, and none that is zero', async (t) => {
  const sizes: [number, string][] = [
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [67_108_864, '64.0 MiB'],
  ];
  for (const [bytes, text] of sizes) t.equal(sizeText(bytes), text);
  const durations: [number, string][] = [
    [-5, '0 s'],
    [999, '1 s'],
    [60_000, '1 min'],
    [61_000, '1 min 1 s'],
    [3_661_000, '1 h 1 min'],
    [90_061_000, '1 d 1 h'],
  ];
  for (const [ms, text] of durations) t.equal(durationText(ms), text);
});
