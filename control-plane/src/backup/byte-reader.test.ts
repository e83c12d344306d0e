import { buffer } from 'node:stream/consumers';
import t from 'tap';
import { ByteReader } from './byte-reader.js';

async function* cut(text: string, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size));
}

t.test('lines up to a mark are read the same in pieces of any size', async (t) => {
  const rows = 'a\tb\n\\\\.\n\\.x\nx\\.\n\n';
  const text = `head\n${rows}\\.\n\\.\ntail\n`;
  for (let size = 1; size <= text.length; size++) {
    const reader = new ByteReader(cut(text, size));
    t.equal(await reader.line(10), 'head');
    t.equal(String(await buffer(reader.linesUntil('\\.'))), rows, `pieces of ${size}`);
    t.equal(String(await buffer(reader.linesUntil('\\.'))), '', 'no lines');
    t.equal(await reader.line(10), 'tail');
    t.equal(await reader.line(10), null);
  }
});

t.test('a stream that ends before the mark is an error', async (t) => {
  await t.rejects(buffer(new ByteReader(cut('a\nb', 1)).linesUntil('\\.')), /no line/);
});
