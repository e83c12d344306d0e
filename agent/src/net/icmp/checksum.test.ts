import t from 'tap';
import { internetChecksum, onesComplementDifference, onesComplementSum, pseudoHeaderSum } from './checksum.js';

// RFC 1071 section 3: the worked example, whose sum is ddf2
const example = Buffer.from('0001f203f4f5f6f7', 'hex');

t.test('checksum of the example in RFC 1071', async (t) => {
  t.equal(onesComplementSum(example), 0xddf2);
  t.equal(internetChecksum(example), 0x220d);
});

t.test('checksum of parts continues from the sum of what came before', async (t) => {
  t.equal(onesComplementSum(example.subarray(4), onesComplementSum(example.subarray(0, 4))), 0xddf2);
});

t.test('an odd last byte counts as the high half of a word', async (t) => {
  t.equal(onesComplementSum(Buffer.from('0001f2', 'hex')), 0xf201);
});

t.test('a message that carries its checksum sums up to zero', async (t) => {
  t.equal(internetChecksum(Buffer.concat([example, Buffer.from('220d', 'hex')])), 0);
});

t.test('difference undoes addition in one’s complement', async (t) => {
  for (const [a, b] of [
    [0xddf2, 0x1234],
    [0x0001, 0xfffe],
    [0x8000, 0x8001],
  ] as const) {
    const sum = onesComplementSum(Buffer.from([b >> 8, b & 0xff]), onesComplementDifference(a, b));
    t.equal(sum, a);
  }
});

t.test('pseudo header is source, destination, protocol and length', async (t) => {
  const source = Buffer.from([10, 0, 0, 1]);
  const destination = Buffer.from([10, 0, 0, 2]);
  t.equal(pseudoHeaderSum(source, destination, 17, 24), 0x0a00 + 1 + 0x0a00 + 2 + 17 + 24);
});
