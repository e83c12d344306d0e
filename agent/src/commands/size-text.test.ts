import t from 'tap';
import { sizeText } from './size-text.js';

t.test('a size is in the unit that keeps it short', async (t) => {
  const sizes: [number, string][] = [
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [67_108_864, '64.0 MiB'],
  ];
  for (const [bytes, text] of sizes) t.equal(sizeText(bytes), text);
});
