import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import t from 'tap';
import { decodeContent, readText } from './body.js';

t.test('body text follows the charset of its content type', async (t) => {
  const cases = [
    { what: 'utf-8 by default', type: 'text/plain', bytes: Buffer.from('grün'), text: 'grün' },
    { what: 'latin-1', type: 'text/html; charset=ISO-8859-1', bytes: Buffer.from('grün', 'latin1'), text: 'grün' },
    { what: 'gbk, quoted', type: 'text/html;charset="gbk"', bytes: Buffer.from('c4e3bac3', 'hex'), text: '你好' },
    {
      what: 'an unknown charset is read as utf-8',
      type: 'text/plain; charset=x-none',
      bytes: Buffer.from('grün'),
      text: 'grün',
    },
    { what: 'invalid utf-8 is replaced', type: 'text/plain', bytes: Buffer.from([0x61, 0xff, 0x62]), text: 'a\ufffdb' },
    {
      what: 'half a surrogate pair is replaced',
      type: 'text/plain; charset=utf-16le',
      bytes: Buffer.from('3dd86100', 'hex'),
      text: '\ufffda',
    },
    {
      what: 'a byte order mark rules the header, and is no part of the text',
      type: 'text/plain; charset=latin1',
      bytes: Buffer.from('\ufeffgrün'),
      text: 'grün',
    },
    {
      what: 'utf-16 by its mark',
      type: 'text/plain',
      bytes: Buffer.from('\ufeffgrün', 'utf16le'),
      text: 'grün',
    },
    {
      what: 'what HTML says of itself',
      type: 'text/html',
      bytes: Buffer.from('<html><META content="text/html; charset=iso-8859-1">grün', 'latin1'),
      text: '<html><META content="text/html; charset=iso-8859-1">grün',
    },
    {
      what: 'the header rules what HTML says of itself',
      type: 'text/html; charset=utf-8',
      bytes: Buffer.from('<meta charset=latin1>grün'),
      text: '<meta charset=latin1>grün',
    },
    {
      what: 'HTML that claims to be UTF-16 in ASCII',
      type: 'text/html',
      bytes: Buffer.from('<meta charset="utf-16">grün'),
      text: '<meta charset="utf-16">grün',
    },
    {
      what: 'what XML says of itself',
      type: 'application/rss+xml',
      bytes: Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?>grün', 'latin1'),
      text: '<?xml version="1.0" encoding="ISO-8859-1"?>grün',
    },
    {
      what: 'plain text says nothing of itself',
      type: 'text/plain',
      bytes: Buffer.from('<meta charset=latin1>grün'),
      text: '<meta charset=latin1>grün',
    },
    { what: 'no content type counts as text', type: undefined, bytes: Buffer.from('ok'), text: 'ok' },
  ];
  for (const { what, type, bytes, text } of cases)
    t.strictSame(readText(bytes, type), { text, isTruncated: false }, what);
});

t.test('body text holds nothing that cannot be stored or bloats JSON', async (t) => {
  t.strictSame(readText(Buffer.from('a\0b\x1bc\n\td\r'), 'text/plain'), { text: 'abc\n\td\r', isTruncated: false });
});

t.test('body text is kept for text only', async (t) => {
  const texts = [
    'application/json',
    'application/ld+json',
    'image/svg+xml',
    'application/xml',
    'text/css',
    'application/javascript',
    'Text/HTML',
  ];
  const others = ['image/png', 'application/octet-stream', 'application/pdf', 'video/mp4', 'application/zip'];
  for (const type of texts) t.not(readText(Buffer.from('x'), type), null, type);
  for (const type of others) t.equal(readText(Buffer.from('x'), type), null, type);
});

t.test('body text is cut at 64 KiB of UTF-8, between characters', async (t) => {
  const euros = '€'.repeat(30_000);
  const cut = readText(Buffer.from(euros), 'text/plain');
  t.equal(cut?.isTruncated, true);
  t.equal(cut?.text, '€'.repeat(Math.floor(65536 / 3)));
  // 60 000 bytes of Latin-1 are 120 000 of UTF-8
  const grown = readText(Buffer.alloc(60_000, 0xe9), 'text/plain; charset=latin1');
  t.equal(grown?.isTruncated, true);
  t.equal(Buffer.byteLength(grown?.text ?? ''), 65536);
});

t.test('a bomb is decompressed up to 1 MiB, in whatever layers it comes', async (t) => {
  const zeros = Buffer.alloc(100 * 1024 * 1024);
  const brotli = brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
  const gzip = gzipSync(zeros);
  t.ok(brotli.length < 1000 && gzip.length < 1024 * 1024, 'as the wire carries it');
  for (const [coding, body] of Object.entries({ br: brotli, gzip, 'gzip, gzip': gzipSync(gzip) })) {
    const decoded = await decodeContent(body, coding);
    t.equal(decoded?.bytes.length, 1024 * 1024, coding);
    t.equal(decoded?.isCut, true, coding);
  }
});

t.test('content codings are undone from the last to the first, and only those that were offered', async (t) => {
  const text = Buffer.from('hello');
  const both = gzipSync(brotliCompressSync(text));
  t.strictSame(await decodeContent(both, 'br, ,Gzip, identity'), { bytes: text, isCut: false });
  t.strictSame(await decodeContent(text, 'identity'), { bytes: text, isCut: false });
  t.strictSame(await decodeContent(text, undefined), { bytes: text, isCut: false });
  t.equal(await decodeContent(both, 'zstd, gzip'), null);
  t.equal(await decodeContent(both, 'constructor'), null);
  t.equal(await decodeContent(both, Array(6).fill('gzip').join()), null);
  await t.rejects(decodeContent(both, 'gzip, br'), { code: 'http_protocol' });
  const whole = Buffer.alloc(1024 * 1024, 'x');
  t.strictSame(await decodeContent(gzipSync(whole), 'gzip'), { bytes: whole, isCut: false }, 'as large as is read');
  const half = gzipSync(text.toString().repeat(1000)).subarray(0, 20);
  t.match(await decodeContent(half, 'gzip'), { isCut: false }, 'a body that was cut');
});
