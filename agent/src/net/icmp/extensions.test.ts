import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { internetChecksum } from './checksum.js';
import { decodeLabelStack, findLabelStack } from './extensions.js';

/** An extension structure around objects of `[class, type, payload in hex]`, its checksum right. */
function anExtension(...objects: readonly (readonly [number, number, string])[]): Buffer {
  const parts = objects.map(([objectClass, type, hex]) => {
    const payload = Buffer.from(hex, 'hex');
    return Buffer.concat([Buffer.from([0, payload.length + 4, objectClass, type]), payload]);
  });
  const bytes = Buffer.concat([Buffer.from([0x20, 0, 0, 0]), ...parts]);
  bytes.writeUInt16BE(internetChecksum(bytes), 2);
  return bytes;
}

// label 16001 (0x03e81), TC 5, bottom, TTL 1; then label 3, TC 0, not bottom, TTL 254
const bottom = '03e81b01';
const outer = '000030fe';

t.test('a stack is read top first, each field at its place (RFC 4950 section 3)', async (t) => {
  t.same(decodeLabelStack(anExtension([1, 1, outer + bottom])), [
    { label: 3, tc: 0, s: 0, ttl: 254 },
    { label: 16001, tc: 5, s: 1, ttl: 1 },
  ]);
});

t.test('objects of another class or type are passed over (RFC 5837, RFC 8335)', async (t) => {
  t.same(decodeLabelStack(anExtension([2, 0x0a, '00000001c0000201'], [1, 2, bottom], [1, 1, bottom])), [
    { label: 16001, tc: 5, s: 1, ttl: 1 },
  ]);
});

t.test(
  'a wrong checksum or version is no extension; a checksum left out counts only where a length promised one',
  async (t) => {
    const right = anExtension([1, 1, bottom]);
    const with2 = (offset: number, value: number) => {
      const copy = Buffer.from(right);
      copy.writeUInt8(value, offset);
      return copy;
    };
    t.equal(findLabelStack(right).length, 1);
    t.same(decodeLabelStack(with2(0, 0x10)), []);
    t.same(decodeLabelStack(with2(3, (right[3] ?? 0) ^ 1)), []);
    const unchecked = Buffer.from(right).fill(0, 2, 4);
    t.equal(decodeLabelStack(unchecked).length, 1);
    t.same(findLabelStack(unchecked), []);
  },
);

t.test('lengths that lie end the reading, and no message yields more than eight entries', async (t) => {
  for (const length of [0, 3, 9, 0xffff]) {
    const bytes = anExtension([1, 1, bottom]);
    bytes.writeUInt16BE(length, 4);
    bytes.fill(0, 2, 4);
    t.same(decodeLabelStack(bytes), [], `length ${length}`);
  }
  t.equal(decodeLabelStack(anExtension([1, 1, bottom.repeat(20)], [1, 1, bottom.repeat(20)])).length, 8);
});

t.test('no bytes make the reader throw or return more than the message has', async (t) => {
  const entries = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 2 }), fc.uint8Array()));
  const built = entries.map((objects) =>
    anExtension(...objects.map(([c, type, payload]) => [c, type, Buffer.from(payload).toString('hex')] as const)),
  );
  const arbitrary = fc.oneof(
    fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
    built,
  );
  fc.assert(
    fc.property(arbitrary, fc.nat(), fc.nat(255), (bytes, at, value) => {
      if (bytes.length > 0) bytes.writeUInt8(value, at % bytes.length);
      for (const stack of [decodeLabelStack(bytes), findLabelStack(bytes)])
        if (stack.length > Math.min(8, bytes.length / 4)) throw new Error('entries out of nothing');
    }),
    { numRuns: rounds(3000) },
  );
  t.pass();
});
