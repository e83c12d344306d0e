import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import t from 'tap';
import { decodeContent, readAll, readText } from './body.js';

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
      bytes: Buffer.from('<META Content="text/html; CharSet=iso-8859-1" http-equiv=Content-Type>grün', 'latin1'),
      text: '<META Content="text/html; CharSet=iso-8859-1" http-equiv=Content-Type>grün',
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

/** 你好 in gbk. */
const hello = Buffer.from('c4e3bac3', 'hex');

t.test('the charset of a content type is found as browsers find it, or more leniently', async (t) => {
  const types = [
    'text/html; charset=gbk',
    'text/html;; Charset = "GB2312" ; x',
    "text/html; charset='gbk'",
    'text/html; charset="\\g\\bk"',
    'text/html; x="; charset=utf-8"; charset=gbk',
    'text/html; charset=; charset=gbk; charset=utf-8',
    'text/html; charset=csgb2312',
    'text/plain, text/html; charset=gbk',
    'text/html; charset=gbk, text/html',
    'text/html; charset=gbk, nonsense, */*',
    'text/html; x="a, text/plain; charset=utf-8"; charset=gbk',
  ];
  for (const type of types) t.equal(readText(hello, type)?.text, '你好', type);
  t.not(readText(hello, 'text/html; charset=gbk, text/plain')?.text, '你好', 'that of another type');
  t.equal(readText(hello, 'text/html; charset=gbk, image/png'), null);
});

t.test('a charset that is not known counts as none', async (t) => {
  for (const charset of ['none', 'utf8mb4', 'x-none', 'text', '']) {
    const type = `text/html; charset=${charset}`;
    t.equal(readText(Buffer.from('grün'), type)?.text, 'grün', charset);
    t.match(readText(Buffer.concat([Buffer.from('<meta charset=gbk>'), hello]), type)?.text, /你好$/, charset);
  }
});

t.test('windows-1252 and its many labels are not ISO-8859-1, on any version of Node', async (t) => {
  const bytes = Buffer.from('805fd6928182e9', 'hex');
  for (const label of ['windows-1252', 'ISO-8859-1', 'latin1', 'us-ascii', 'ascii', 'cp1252', 'iso_8859-1'])
    t.equal(readText(bytes, `text/plain; charset=${label}`)?.text, '€_Ö’\x81‚é', label);
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  t.equal(new Set(readAll(all, 'text/plain; charset=latin1')).size, 256, 'each byte has a character');
});

t.test('a meta element declares the encoding of HTML where browsers find it', async (t) => {
  const pragma = (content: string) => `<meta http-equiv="Content-Type" content="${content}">`;
  const found = [
    '<meta charset=gbk>',
    "<META CHARSET = 'gbk' />",
    '<meta/charset="gbk"/>',
    pragma('text/html; charset=gbk'),
    pragma("text/html;charset='gbk'"),
    `<meta content='text/html; charset="gbk"' http-equiv='content-type'>`,
    '<!-- <meta charset=utf-8> --><meta charset=gbk>',
    '<!--><meta charset=gbk>',
    `<!-- ${'x'.repeat(1100)} --><meta charset=gbk>`,
    `<html><head><title><meta charset=utf-8></title><style>${'p{} '.repeat(2000)}</style><meta charset=gbk></head><body>`,
    `<script>if (a<b) x = '<meta charset=utf-8>';</script>${' '.repeat(2000)}<meta charset=gbk>`,
    '<!doctype html><?x <meta charset=utf-8?><meta name="a>b" charset=gbk>',
    '<meta charset=none><meta charset=gbk>',
    '<p title="<meta charset=utf-8>"><meta charset=gbk>',
    '<meta http-equiv=content-type content="charset charset=gbk">',
    '<?xml version="1.0" encoding="utf-8"?><meta charset=gbk>',
    '<?xml version="1.0" encoding="gbk"?>',
    '< <a < meta><meta charset=gbk charset=utf-8>',
  ];
  const read = (html: string, type?: string) => readAll(Buffer.concat([Buffer.from(html), hello]), type).slice(-10);
  for (const html of found) t.match(read(html, 'text/html'), /你好$/, html.slice(0, 80));
  t.match(read('\n <meta charset=gbk>'), /你好$/, 'without a content type');
  t.match(read('<?xml version="1.0" encoding="utf-8"?><a>', 'application/xml'), /\ufffd/);
  const none = [
    '<meta name=description content="charset=gbk">',
    '<meta content="text/html; charset=gbk">',
    '<metal charset=gbk>',
    '<!-- <meta charset=gbk>',
    '<script><meta charset=gbk></script>',
    `${' '.repeat(1100)}<body><meta charset=gbk>`,
    `${' '.repeat(70_000)}<meta charset=gbk>`,
    'text <p title=',
    '<meta charset',
  ];
  for (const html of none) t.match(read(html, 'text/html'), /\ufffd/, html.slice(0, 80).trim());
  t.match(read('a <meta charset=gbk>'), /\ufffd/, 'text without a content type');
});

t.test('XML in UTF-16 is known by its declaration', async (t) => {
  const text = '<?xml version="1.0"?><a>你好</a>';
  const little = Buffer.from(text, 'utf16le');
  t.equal(readText(little, 'application/xml')?.text, text);
  t.equal(readText(Buffer.from(little).swap16(), 'text/xml')?.text, text);
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
  for (const coding of ['br, dcb', 'x-compress', `${'identity, '.repeat(30)}gzip`])
    t.equal(await decodeContent(both, coding), null, coding);
  for (const none of ['UTF-8', 'none', 'binary', 'text/html', 'constructor', 'utf-8, , none'])
    t.strictSame(await decodeContent(text, none), { bytes: text, isCut: false }, none);
  t.strictSame(await decodeContent(gzipSync(text), 'utf-8, gzip'), { bytes: text, isCut: false });
  t.equal(await decodeContent(both, Array(6).fill('gzip').join()), null);
  await t.rejects(decodeContent(both, 'gzip, br'), { code: 'http_protocol' });
  const whole = Buffer.alloc(1024 * 1024, 'x');
  t.strictSame(await decodeContent(gzipSync(whole), 'gzip'), { bytes: whole, isCut: false }, 'as large as is read');
  const half = gzipSync(text.toString().repeat(1000)).subarray(0, 20);
  t.match(await decodeContent(half, 'gzip'), { isCut: false }, 'a body that was cut');
});
