import { parseAddress } from '@vantage/shared/target-policy/address.js';
import t from 'tap';
import { ListReader, listOf } from './list-reader.js';

const LINES = 10_000_000;
const LINES_PER_PIECE = 10_000;
const MIB = 1024 * 1024;

/** Address of a line, each once, from 20.0.0.0 on: 64 networks of a first octet without a private range. */
function addressOf(line: number): string {
  const value = Math.imul(line, 2_654_435_761) & 0x3fff_ffff;
  return `${20 + (value >>> 24)}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
}

/** Every hundredth line is the network of an address that other lines have, too; the ends of lines alternate. */
function lineOf(line: number): string {
  const address = addressOf(line);
  if (line % 100 === 1) return `${address.slice(0, address.lastIndexOf('.'))}.0/24 # remark\r\n`;
  return line % 100 === 2 ? `# comment\r\n${address}\n` : `${address}\n`;
}

t.test('ten million lines with remarks and ranges that overlap are read in bounded memory', async (t) => {
  const reader = new ListReader('cidrs');
  let mostBytes = 0;
  const noteMemory = () => {
    mostBytes = Math.max(mostBytes, process.memoryUsage().arrayBuffers);
  };
  reader.push(Buffer.from('\ufeff'));
  for (let first = 0; first < LINES; first += LINES_PER_PIECE) {
    const lines = Array.from({ length: LINES_PER_PIECE }, (_, index) => lineOf(first + index));
    reader.push(Buffer.from(lines.join('')));
    noteMemory();
  }
  const { entries, lines, unreadable, refused } = listOf(reader.end());
  noteMemory();
  t.same([lines, unreadable, refused], [LINES, 0, 0]);
  t.ok(mostBytes < 400 * MIB, `${Math.round(mostBytes / MIB)} MiB while it is read and sorted`);
  t.ok(entries.bytes < 120 * MIB, `${Math.round(entries.bytes / MIB)} MiB in use`);
  for (let line = 0; line < LINES; line += 9_973) {
    const address = parseAddress(addressOf(line));
    t.ok(address !== null && entries.find(address, null) !== null, addressOf(line));
  }
  const outside = parseAddress('19.255.255.255');
  t.equal(outside && entries.find(outside, null), null);
});
