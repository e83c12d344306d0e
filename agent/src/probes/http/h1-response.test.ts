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
    onInterim: (status) => seen.interim.push(status),
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
  ];
  for (const { what, text, method, body } of cases) {
    t.match(whole(text, method), { body, isEnded: true, failure: null }, what);
    const bytes = [...Buffer.from(text, 'latin1')].map((byte) => Buffer.from([byte]));
    t.strictSame(read(bytes, method), whole(text, method), `${what}, byte by byte`);
  }
  const headers = whole(`${OK}A:  b \r\nX-Gr\u00fc: 1\r\n\r\n`);
  t.match(headers, { failure: 'http_protocol' }, 'a name is a token');
  t.strictSame(whole(`${OK}A:  gr\u00fcn \r\nB: one\r\n\ttwo\r\nC:\r\n\r\n`).head?.rawHeaders, [
    'A',
    'gr\u00fcn',
    'B',
    'one two',
    'C',
    '',
  ]);
});

t.test('bytes that are not a response, or could be read in two ways, are refused', async (t) => {
  const cases: { what: string; text: string; code?: string }[] = [
    { what: 'HTTP/0.9', text: '<html>' },
    { what: 'HTTP/1.2', text: 'HTTP/1.2 200 OK\r\n\r\n' },
    { what: 'a status of two digits', text: 'HTTP/1.1 20 OK\r\n\r\n' },
    { what: 'a status below 100', text: 'HTTP/1.1 099 OK\r\n\r\n' },
    { what: 'a header without a colon', text: `${OK}A\r\n\r\n` },
    { what: 'a header without a name', text: `${OK}: b\r\n\r\n` },
    { what: 'a space before the colon', text: `${OK}A : b\r\n\r\n` },
    { what: 'a fold of nothing', text: `${OK} b\r\n\r\n` },
    { what: 'NUL in a header', text: `${OK}A: b\0c\r\n\r\n` },
    { what: 'a lone carriage return in a header', text: `${OK}A: b\rc\r\n\r\n` },
    { what: 'two lengths', text: `${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello` },
    { what: 'a negative length', text: `${OK}Content-Length: -1\r\n\r\n` },
    { what: 'a length in hexadecimal', text: `${OK}Content-Length: 0x5\r\n\r\nhello` },
    { what: 'a length of 20 digits', text: `${OK}Content-Length: 99999999999999999999\r\n\r\n` },
    { what: 'a length and chunks', text: `${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n` },
    { what: 'a chunk without a size', text: `${OK}Transfer-Encoding: chunked\r\n\r\n\r\n` },
    { what: 'a chunk longer than its size', text: `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nokay\r\n0\r\n\r\n` },
    { what: 'chunks without an end', text: `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n` },
    { what: 'a body shorter than its length', text: `${OK}Content-Length: 9\r\n\r\nok` },
    { what: 'half a head', text: OK },
    { what: 'nothing', text: '' },
    { what: '129 header lines', text: `${OK}${'a:b\r\n'.repeat(129)}\r\n`, code: 'http_headers_too_large' },
    { what: 'a line without an end', text: `${OK}A: ${'b'.repeat(40_000)}`, code: 'http_headers_too_large' },
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
