import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { ProbeFailure } from '../failure.js';
import { type ResponseHead, ResponseReader } from './h1-response.js';

interface Read {
  readonly interim: number[];
  head: ResponseHead | null;
  body: string;
  isEnded: boolean;
  failure: string | null;
}

/** Reads a response that arrives in these pieces, after which the connection ends. */
function read(pieces: readonly Buffer[], method = 'GET'): Read {
  const seen: Read = { interim: [], head: null, body: '', isEnded: false, failure: null };
  const reader = new ResponseReader(method, {
    onInterim: ({ statusCode }) => seen.interim.push(statusCode),
    onHead: (head) => (seen.head = head),
    onBody: (chunk) => (seen.body += chunk.toString('latin1')),
    onEnd: () => (seen.isEnded = true),
  });
  try {
    for (const piece of pieces) reader.push(piece);
    reader.end();
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw error;
    seen.failure = error.code;
  }
  return seen;
}

const whole = (text: string, method?: string) => read([Buffer.from(text, 'latin1')], method);
const OK = 'HTTP/1.1 200 OK\r\n';

t.test('a response is read as RFC 9112 has it', async (t) => {
  const cases: { what: string; text: string; method?: string; body: string }[] = [
    { what: 'a length', text: `${OK}Content-Length: 2\r\n\r\nok and more`, body: 'ok' },
    { what: 'a length, twice the same', text: `${OK}Content-Length: 2\r\nContent-length: 2, 2\r\n\r\nok`, body: 'ok' },
    { what: 'no length', text: `${OK}\r\nok`, body: 'ok' },
    { what: 'a length of 0', text: `${OK}Content-Length: 0\r\n\r\nmore`, body: '' },
    { what: 'HTTP/1.0', text: 'HTTP/1.0 200 OK\r\n\r\nok', body: 'ok' },
    { what: 'no reason', text: 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok', body: 'ok' },
    { what: 'HEAD', text: `${OK}Content-Length: 9\r\n\r\n`, method: 'HEAD', body: '' },
    { what: '204', text: 'HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n', body: '' },
    { what: '304', text: 'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n', body: '' },
    {
      what: 'chunks',
      text: `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0A;x=y\r\n, chunked!\r\n0\r\n\r\n`,
      body: 'ok, chunked!',
    },
    { what: 'trailers', text: `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nA: b\r\n\r\n`, body: 'ok' },
    {
      what: 'another coding, then chunks',
      text: `${OK}Transfer-Encoding: x, Chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
      body: 'ok',
    },
    {
      what: 'interim responses',
      text: `HTTP/1.1 103 Hints\r\nA: b\r\n\r\n${OK}Content-Length: 2\r\n\r\nok`,
      body: 'ok',
    },
    { what: 'lone line feeds', text: 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok', body: 'ok' },
    { what: 'another carriage return', text: `${OK}A: b\r\r\nContent-Length: 2\r\r\n\r\r\nok`, body: 'ok' },
    { what: 'blanks in the status line', text: 'HTTP/1.1  200\t OK \r\nContent-Length: 2\r\n\r\nok', body: 'ok' },
    { what: 'a reason at the status', text: 'HTTP/1.1 200OK\r\nContent-Length: 2\r\n\r\nok', body: 'ok' },
    {
      what: 'a control character in the reason',
      text: 'HTTP/1.1 200 O\x01\r\nContent-Length: 2\r\n\r\nok',
      body: 'ok',
    },
    { what: 'a protocol in lower case', text: 'http/1.1 200 ok\r\nContent-Length: 2\r\n\r\nok', body: 'ok' },
    { what: 'HTTP/1.2', text: 'HTTP/1.2 200 OK\r\nContent-Length: 2\r\n\r\nok', body: 'ok' },
    { what: 'a length behind blanks', text: `${OK}Content-Length \t:\t 2 \t\r\n\r\nok`, body: 'ok' },
    {
      what: 'a length with zeros',
      text: `${OK}Content-Length: ${'0'.repeat(30)}2\r\nContent-Length: 2\r\n\r\nok`,
      body: 'ok',
    },
    {
      what: 'the coding identity',
      text: `${OK}Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nok!`,
      body: 'ok',
    },
    { what: 'a coding without a name', text: `${OK}Transfer-Encoding:\r\nContent-Length: 2\r\n\r\nok!`, body: 'ok' },
    {
      what: 'chunks and identity',
      text: `${OK}Transfer-Encoding: chunked, Identity\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
      body: 'ok',
    },
    {
      what: 'chunks, which rule a length',
      text: `${OK}Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
      body: 'ok',
    },
    {
      what: 'chunk sizes with zeros and blanks',
      text: `${OK}Transfer-Encoding: chunked\r\n\r\n${'0'.repeat(40)}2\t\r\nok\r\n${'0'.repeat(40)} \r\n\r\n`,
      body: 'ok',
    },
    { what: 'blank lines before it', text: `\r\n\n${OK}Content-Length: 2\r\n\r\nok`, body: 'ok' },
    {
      what: 'a blank line behind an interim response',
      text: `HTTP/1.1 100 Continue\r\n\r\n\r\n${OK}Content-Length: 2\r\n\r\nok`,
      body: 'ok',
    },
    { what: 'a later version', text: 'HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nok', body: 'ok' },
    { what: 'a later version without a minor one', text: 'HTTP/2 200\r\nContent-Length: 2\r\n\r\nok', body: 'ok' },
    { what: '5000 header lines', text: `${OK}${'a:b\r\n'.repeat(4999)}Content-Length: 2\r\n\r\nok`, body: 'ok' },
    {
      what: 'headers of 256 KiB',
      text: `${OK}A: ${'b'.repeat(256 * 1024 - OK.length - 3 - 2 - 19 - 2)}\r\nContent-Length: 2\r\n\r\nok`,
      body: 'ok',
    },
  ];
  for (const { what, text, method, body } of cases) {
    t.match(whole(text, method), { body, isEnded: true, failure: null }, what);
    if (text.length > 1000) continue;
    const bytes = [...Buffer.from(text, 'latin1')].map((byte) => Buffer.from([byte]));
    t.strictSame(read(bytes, method), whole(text, method), `${what}, byte by byte`);
  }
});

t.test('header values are the bytes that came, and a line whose name browsers do not know is skipped', async (t) => {
  const cases: { what: string; lines: string; rawHeaders: string[] }[] = [
    { what: 'blanks around a value', lines: 'A: \t b c\t \r\nB:\r\n', rawHeaders: ['A', 'b c', 'B', ''] },
    { what: 'blanks before the colon', lines: 'A : b\r\nB\t:c\r\n', rawHeaders: ['A', 'b', 'B', 'c'] },
    { what: 'a folded value', lines: 'A: one\r\n\ttwo\r\n  \r\nB: c\r\n', rawHeaders: ['A', 'one two', 'B', 'c'] },
    { what: 'control characters', lines: 'A: b\x01\x0b\x7fc\x1f\r\n', rawHeaders: ['A', 'b\x01\x0b\x7fc\x1f'] },
    {
      what: 'bytes beyond ASCII, a no-break space at the end',
      lines: 'A: voil\xc3\xa0\r\n',
      rawHeaders: ['A', 'voil\xc3\xa0'],
    },
    { what: 'a name that is no token', lines: 'X-Gr\xfc: 1\r\nA b: 2\r\n more\r\nA: b\r\n', rawHeaders: ['A', 'b'] },
    { what: 'no name', lines: ': b\r\nA: b\r\n', rawHeaders: ['A', 'b'] },
    { what: 'a length with a name that is no token', lines: 'Content Length: 9\r\n', rawHeaders: [] },
  ];
  for (const { what, lines, rawHeaders } of cases)
    t.match(whole(`${OK}${lines}\r\n`), { failure: null, head: { rawHeaders } }, what);
});

t.test('bytes that are not a response, or could be read in two ways, are refused', async (t) => {
  const cases: { what: string; text: string; code?: string }[] = [
    { what: 'HTTP/0.9', text: '<html>' },
    { what: 'HTTP/0.9 with a status', text: 'HTTP/0.9 200 OK\r\n\r\n' },
    { what: 'a carriage return before it', text: `\r${OK}\r\n` },
    { what: 'blank lines alone', text: '\r\n\r\n' },
    { what: 'blank lines without an end', text: '\r\n'.repeat(150_000), code: 'http_headers_too_large' },
    { what: 'a status of two digits', text: 'HTTP/1.1 20 OK\r\n\r\n' },
    { what: 'a status below 100', text: 'HTTP/1.1 099 OK\r\n\r\n' },
    { what: 'a header without a colon', text: `${OK}A\r\n\r\n` },
    { what: 'a fold of nothing', text: `${OK} b\r\n\r\n` },
    { what: 'NUL in a header', text: `${OK}A: b\0c\r\n\r\n` },
    { what: 'a lone carriage return in a header', text: `${OK}A: b\rc\r\n\r\n` },
    { what: 'two lengths', text: `${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello` },
    { what: 'a negative length', text: `${OK}Content-Length: -1\r\n\r\n` },
    { what: 'a length in hexadecimal', text: `${OK}Content-Length: 0x5\r\n\r\nhello` },
    { what: 'a length of 20 digits', text: `${OK}Content-Length: 99999999999999999999\r\n\r\n` },
    { what: 'a chunk without a size', text: `${OK}Transfer-Encoding: chunked\r\n\r\n\r\n` },
    { what: 'a chunk longer than its size', text: `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nokay\r\n0\r\n\r\n` },
    { what: 'chunks without an end', text: `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n` },
    { what: 'a body shorter than its length', text: `${OK}Content-Length: 9\r\n\r\nok` },
    { what: 'half a head', text: OK },
    { what: 'nothing', text: '' },
    { what: '5001 header lines', text: `${OK}${'a:b\r\n'.repeat(5001)}\r\n`, code: 'http_headers_too_large' },
    { what: 'a line without an end', text: `${OK}A: ${'b'.repeat(256 * 1024)}`, code: 'http_headers_too_large' },
    {
      what: 'interim responses that have 256 KiB together',
      text: `HTTP/1.1 103 Hints\r\nA: ${'b'.repeat(100_000)}\r\n\r\n`.repeat(3),
      code: 'http_headers_too_large',
    },
    {
      what: 'interim responses that have 5001 lines together',
      text: `HTTP/1.1 103 Hints\r\n${'a:b\r\n'.repeat(1700)}\r\n`.repeat(3),
      code: 'http_headers_too_large',
    },
    { what: 'NUL in a line that is skipped', text: `${OK}A b: c\0\r\n\r\n` },
    { what: 'NUL in the reason', text: 'HTTP/1.1 200 O\0K\r\n\r\n' },
    { what: 'a lone carriage return in the reason', text: 'HTTP/1.1 200 O\rK\r\n\r\n' },
    { what: 'a status of four digits', text: 'HTTP/1.1 2000 OK\r\n\r\n' },
    { what: 'HTTP/1', text: 'HTTP/1 200 OK\r\n\r\n' },
    { what: 'a length with a sign', text: `${OK}Content-Length: +2\r\n\r\nok` },
    { what: 'a length without a value', text: `${OK}Content-Length:\r\n\r\n` },
    { what: 'a thousand lengths', text: `${OK}Content-Length: ${'2,'.repeat(1000)}2\r\n\r\nok` },
    { what: 'a chunk size with a prefix', text: `${OK}Transfer-Encoding: chunked\r\n\r\n0x2\r\nok\r\n0\r\n\r\n` },
    { what: 'a trailer without a colon', text: `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\nA\r\n\r\n` },
    {
      what: 'trailers of 32 KiB',
      text: `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\nA: ${'b'.repeat(33_000)}\r\n\r\n`,
      code: 'http_headers_too_large',
    },
    {
      what: 'endless chunk extensions',
      text: `${OK}Transfer-Encoding: chunked\r\n\r\n${`1;${'x'.repeat(1000)}\r\nx\r\n`.repeat(20)}`,
      code: 'http_headers_too_large',
    },
    {
      what: 'a chunk for every byte',
      text: `${OK}Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(110_000)}0\r\n\r\n`,
    },
    {
      what: '129 trailers',
      text: `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n${'a:b\r\n'.repeat(129)}\r\n`,
      code: 'http_headers_too_large',
    },
  ];
  for (const { what, text, code = 'http_protocol' } of cases)
    t.match(whole(text), { failure: code, isEnded: false }, what);
});

t.test(
  'a response is the same in whatever pieces it comes, and no bytes make the reader throw anything else',
  async () => {
    const valid = [
      `${OK}Content-Length: 5\r\n\r\nhello`,
      `${OK}Transfer-Encoding: chunked\r\nA: b\r\n\r\n3\r\nhel\r\n2;x\r\nlo\r\n0\r\nT: u\r\n\r\n`,
      `HTTP/1.1 100 Continue\r\n\r\n${OK}\r\nuntil the end`,
    ];
    const mutation = fc.record({ at: fc.nat(120), bytes: fc.uint8Array({ maxLength: 4 }), cut: fc.nat(6) });
    fc.assert(
      fc.property(
        fc.constantFrom(...valid),
        fc.array(mutation, { maxLength: 4 }),
        fc.array(fc.nat(40)),
        (text, mutations, cuts) => {
          let bytes = Buffer.from(text, 'latin1');
          for (const { at, bytes: put, cut } of mutations) {
            bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + cut)]);
          }
          const pieces: Buffer[] = [];
          for (const cut of cuts) {
            pieces.push(bytes.subarray(0, cut));
            bytes = bytes.subarray(cut);
          }
          pieces.push(bytes);
          const inPieces = read(pieces);
          const atOnce = read([Buffer.concat(pieces)]);
          if (JSON.stringify(inPieces) !== JSON.stringify(atOnce)) throw new Error('it depends on the pieces');
        },
      ),
      { numRuns: rounds(5000), interruptAfterTimeLimit: 1500 },
    );
  },
);
