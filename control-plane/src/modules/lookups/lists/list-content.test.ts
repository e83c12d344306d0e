import { parseAddress } from '@vantage/shared/target-policy/address.js';
import t from 'tap';
import { type ListContent, readContent } from './list-content.js';

/** Three lists of 20 000 lines in descending order, each with the address and network of its last line. */
const lists = [
  { format: 'addresses', lineOf: (n: number) => `20.0.${n >> 8}.${n & 255}`, entry: '20.0.0.1/32' },
  { format: 'cidrs', lineOf: (n: number) => `2a00:${n.toString(16)}::/32`, entry: '2a00:1::/32' },
  { format: 'asns', lineOf: (n: number) => `AS${n}`, entry: 'AS1' },
] as const;

function contentOf(lineOf: (n: number) => string): ListContent {
  const lines = Array.from({ length: 20_000 }, (_, index) => lineOf(20_000 - index));
  const bytes = Buffer.from(lines.join('\n'));
  return { bytes: bytes.length, pieces: [bytes.subarray(0, 70_001), bytes.subarray(70_001)] };
}

for (const { format, lineOf, entry } of lists) {
  t.test(`a large list of ${format} is the same read in a thread as without one`, async (t) => {
    const content = contentOf(lineOf);
    const inThread = await readContent({ format, signal: 'vpn' }, content);
    const atOnce = await readContent({ format, signal: 'vpn' }, { ...content, bytes: 0 });
    t.same(inThread, atOnce);
    t.same([inThread.lines, inThread.unreadable, inThread.refused, inThread.entries.count], [20_000, 0, 0, 20_000]);
    const address = parseAddress(entry.replace(/\/.*/, '').replace(/^AS.*/, '8.8.8.8'));
    t.equal(address && inThread.entries.find(address, 1), entry);
  });
}

t.test('a list whose pieces cannot be had fails, and its thread ends', async (t) => {
  async function* pieces() {
    yield Buffer.from('8.8.8.8\n');
    throw new Error('no such piece');
  }
  await t.rejects(readContent({ format: 'cidrs', signal: 'vpn' }, { bytes: 1e6, pieces: pieces() }), {
    message: 'no such piece',
  });
});
