import t from 'tap';
import { BodyBytes } from './body-bytes.js';

t.test('a body is the same in whatever pieces it comes, up to its bound', async (t) => {
  const text = Buffer.from('0123456789'.repeat(10_000));
  for (const size of [1, 7, 16_384, 70_000, text.length]) {
    const body = new BodyBytes(99_999);
    const reported: boolean[] = [];
    for (let at = 0; at < text.length; at += size) reported.push(body.add(text.subarray(at, at + size)));
    t.ok(body.whole().equals(text.subarray(0, 99_999)), `pieces of ${size} bytes`);
    t.equal(body.length, 99_999);
    t.same(
      [reported.filter((isAll) => !isAll).length, reported.at(-1)],
      [1, false],
      'the piece that was too much is told of',
    );
  }
});

t.test('a body that comes byte by byte takes no more memory than one that comes at once', async (t) => {
  const body = new BodyBytes(1024 * 1024);
  const segment = Buffer.alloc(65_536, 'x');
  for (let count = 0; count < 100_000; count += 1) body.add(segment.subarray(0, 1));
  t.ok(body.whole().buffer.byteLength <= 2 * 100_000 + 16_384, 'room for twice its bytes at most');
  t.not(body.whole().buffer, segment.buffer, 'what it came in is let go');
  t.equal(new BodyBytes(10).whole().length, 0);
});
