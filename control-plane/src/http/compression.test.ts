import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { Type } from 'typebox';
import { aRoute } from '../../test/_support/http-routes.js';
import { startTestServer } from '../../test/_support/http-server.js';
import { compressOnce, negotiateEncoding } from './compression.js';
import { ApiError } from './errors.js';
import { staticContent, staticReply } from './frame/conditional-reply.js';
import { JsonText } from './json-text.js';
import type { AnyRoute } from './route.js';

const text = 'the same words again and again. '.repeat(400);
const rawRoute = (path: string, contentType: string, body = text, headers: Record<string, string> = {}): AnyRoute =>
  aRoute(path, { replyKind: 'raw', handle: async () => ({ status: 200, raw: { contentType, body }, headers }) });

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Response as it is on the wire: fetch would ask for gzip and decompress it by itself. */
function ask(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    request.on('error', reject).end();
  });
}

t.test('the coding is the best of ours that the caller takes', async (t) => {
  const cases: readonly (readonly [string | undefined, string | null])[] = [
    [undefined, null],
    ['', null],
    ['identity', null],
    ['deflate, zstd', null],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br; q=0.500 , gzip ;q=0.5', 'br'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0, br;q=0', null],
    ['*;q=0', null],
    ['gzip;q=0.001', 'gzip'],
    ['identity, gzip;q=0.5', null],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0', null],
    // RFC 9110 section 12.4.2 gives a weight above 1 no meaning: it is taken as it is
    ['gzip;q=2', 'gzip'],
    ['br;q=2, gzip;q=0.5', 'br'],
    ['br;q=0.5, x-gzip', 'gzip'],
    ['gzip;q=nonsense', null],
    [';;,,=', null],
    [`${'x,'.repeat(5_000)}gzip`, null],
  ];
  for (const [header, expected] of cases) t.equal(negotiateEncoding(header), expected, String(header).slice(0, 40));
});

t.test('text over 2 KiB is compressed as the caller prefers, with Vary for caches', async (t) => {
  const types = [
    'application/json; charset=utf-8',
    'text/html; charset=utf-8',
    'text/css',
    'text/javascript',
    'application/javascript',
    'text/plain',
    'image/svg+xml',
    'application/problem+json',
  ];
  const { url } = await startTestServer(
    t,
    types.map((type, index) => rawRoute(`/v1/${index}`, type, type.includes('json') ? JSON.stringify(text) : text)),
  );
  for (const [index, type] of types.entries()) {
    const plain = await ask(`${url}/v1/${index}`);
    t.equal(plain.headers['content-encoding'], undefined, type);
    const gzip = await ask(`${url}/v1/${index}`, { 'Accept-Encoding': 'gzip' });
    const br = await ask(`${url}/v1/${index}`, { 'Accept-Encoding': 'gzip, br' });
    t.equal(gzip.headers['content-encoding'], 'gzip');
    t.equal(br.headers['content-encoding'], 'br');
    for (const { headers, body } of [plain, gzip, br]) {
      t.equal(headers.vary, 'Accept-Encoding');
      t.equal(headers['content-length'], String(body.length));
    }
    t.ok(gunzipSync(gzip.body).equals(plain.body));
    t.ok(brotliDecompressSync(br.body).equals(plain.body));
  }
});

t.test('small, binary, compressed and empty bodies are not compressed', async (t) => {
  const edge = 'x'.repeat(2_048);
  const { url } = await startTestServer(t, [
    rawRoute('/v1/edge', 'text/plain', edge),
    rawRoute('/v1/over', 'text/plain', `${edge}x`),
    rawRoute('/v1/image', 'image/png'),
    rawRoute('/v1/stream', 'text/event-stream'),
    rawRoute('/v1/coded', 'text/plain', text, { 'Content-Encoding': 'zstd' }),
  ]);
  const all = { 'Accept-Encoding': 'gzip, br' };
  for (const path of ['/v1/edge', '/v1/image', '/v1/stream']) {
    const { headers } = await ask(url + path, all);
    t.strictSame([headers['content-encoding'], headers.vary], [undefined, undefined], path);
  }
  t.equal((await ask(`${url}/v1/over`, all)).headers['content-encoding'], 'br');
  t.equal((await ask(`${url}/v1/coded`, all)).headers['content-encoding'], 'zstd');
  const options = await ask(`${url}/v1/over`, all, 'OPTIONS');
  t.strictSame([options.status, options.headers['content-encoding'], options.body.length], [204, undefined, 0]);
});

t.test('events are never compressed', async (t) => {
  async function* events() {
    yield { event: 'step', data: { text } };
  }
  const route = aRoute('/v1/events', { replyKind: 'events', handle: async () => ({ status: 200, events: events() }) });
  const { url } = await startTestServer(t, [route]);
  const { headers, body } = await ask(`${url}/v1/events`, { 'Accept-Encoding': 'gzip, br' });
  t.equal(headers['content-encoding'], undefined);
  t.match(body.toString(), 'the same words');
});

t.test('errors are compressed too, and Vary names both the language and the coding', async (t) => {
  const details = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`field_${index}`, [{ code: 'format' as const, message: 'is required' }]]),
  );
  const route = aRoute('/v1/wrong', {
    errors: ['VALIDATION_FAILED'],
    handle: () => Promise.reject(new ApiError('VALIDATION_FAILED', { details })),
  });
  const { url } = await startTestServer(t, [route]);
  const { status, headers, body } = await ask(`${url}/v1/wrong`, { 'Accept-Encoding': 'gzip' });
  t.strictSame([status, headers['content-encoding'], headers.vary], [400, 'gzip', 'Accept-Language, Accept-Encoding']);
  t.match(JSON.parse(gunzipSync(body).toString()), { error: { code: 'VALIDATION_FAILED' } });
});

t.test('HEAD has the same headers for a compressed body as GET', async (t) => {
  const { url } = await startTestServer(t, [rawRoute('/v1/page', 'text/html; charset=utf-8')]);
  const all = { 'Accept-Encoding': 'br', 'X-Request-Id': 'the-same-one', Connection: 'close' };
  const get = await ask(`${url}/v1/page`, all);
  const head = await ask(`${url}/v1/page`, all, 'HEAD');
  t.strictSame({ ...head.headers, date: '' }, { ...get.headers, date: '' });
  t.equal(head.headers['content-encoding'], 'br');
  t.equal(head.body.length, 0);
});

t.test('a body in pieces is the same in each coding, and HEAD names its length', async (t) => {
  const pieces = Array.from({ length: 40 }, (_, index) =>
    Buffer.from(`${index === 0 ? '[' : ','}${JSON.stringify(text)}`),
  );
  const whole = Buffer.concat([...pieces, Buffer.from(']')]);
  const data = new JsonText([...pieces, Buffer.from(']')]);
  const route = aRoute('/v1/long', {
    replies: { 200: Type.Array(Type.String()) },
    handle: async () => ({ status: 200, data }),
  });
  // both take no time: each names the milliseconds that it took, and their digits count
  const { url, log } = await startTestServer(t, [route], { clock: new FakeClock() });
  const decoders = { identity: (body: Buffer) => body, gzip: gunzipSync, br: brotliDecompressSync };
  for (const [coding, decode] of Object.entries(decoders)) {
    const headers = { 'Accept-Encoding': coding, 'X-Request-Id': 'the-same-one', Connection: 'close' };
    const get = await ask(`${url}/v1/long`, headers);
    t.equal(get.headers['content-encoding'], coding === 'identity' ? undefined : coding);
    t.equal(get.headers['content-length'], String(get.body.length), coding);
    t.ok(
      decode(get.body)
        .subarray('{"data":'.length, '{"data":'.length + whole.length)
        .equals(whole),
      coding,
    );
    t.match(JSON.parse(decode(get.body).toString()), { request_id: 'the-same-one' });
    const head = await ask(`${url}/v1/long`, headers, 'HEAD');
    t.equal(head.body.length, 0);
    if (coding === 'identity') t.equal(head.headers['content-length'], get.headers['content-length']);
  }
  const leaving = httpRequest(`${url}/v1/long`, { agent: false }, (response) => response.destroy()).end();
  await new Promise((resolve) => leaving.once('close', resolve));
  t.equal((await ask(`${url}/v1/long`)).status, 200, 'a caller that leaves in the middle affects no one');
  t.notOk(log.some(({ level }) => level === 'error' || level === 'warn'));
});

t.test('pieces of a large body are never joined, and those of a small one are', async (t) => {
  const piece = Buffer.from(JSON.stringify(text));
  const more = Array.from({ length: 40 }, () => [Buffer.from(','), piece]).flat();
  const data = new JsonText([Buffer.from('['), piece, ...more, Buffer.from(']')]);
  const small = new JsonText([Buffer.from('['), piece, Buffer.from(']')]);
  const reply = (path: string, given: JsonText) => aRoute(path, { handle: async () => ({ status: 200, data: given }) });
  const { url } = await startTestServer(t, [reply('/v1/long', data), reply('/v1/short', small)], { isStrict: false });
  // HEAD: the caller of this test joins nothing then
  const joined = t.capture(Buffer, 'concat', Buffer.concat);
  const long = await ask(`${url}/v1/long`, {}, 'HEAD');
  await ask(`${url}/v1/long`, { 'Accept-Encoding': 'gzip' }, 'HEAD');
  t.ok(Number(long.headers['content-length']) > 40 * piece.length);
  t.notOk(joined().some(({ args: [pieces] }) => pieces.includes(piece)));
  await ask(`${url}/v1/short`, {}, 'HEAD');
  t.ok(joined().some(({ args: [pieces] }) => pieces.includes(piece)));
});

t.test('a strong ETag of a body that is compressed becomes a weak one, which still saves sending it', async (t) => {
  const { url } = await startTestServer(t, [rawRoute('/v1/tagged', 'text/plain', text, { ETag: '"v1"' })]);
  t.equal((await ask(`${url}/v1/tagged`)).headers.etag, '"v1"');
  const gzip = { 'Accept-Encoding': 'gzip' };
  t.equal((await ask(`${url}/v1/tagged`, gzip)).headers.etag, 'W/"v1"');
  const again = await ask(`${url}/v1/tagged`, { ...gzip, 'If-None-Match': 'W/"v1"' });
  t.strictSame(
    [again.status, again.body.length, again.headers.vary, again.headers['content-encoding']],
    [304, 0, 'Accept-Encoding', undefined],
  );
});

t.test('static content is compressed once for each coding, each with an ETag of its own', async (t) => {
  const content = staticContent('text/css', text);
  const { url } = await startTestServer(t, [
    aRoute('/v1/style', { replyKind: 'raw', handle: async () => staticReply(content) }),
  ]);
  const tags = new Map<string, string>();
  for (const coding of ['identity', 'gzip', 'br']) {
    const { headers } = await ask(`${url}/v1/style`, { 'Accept-Encoding': coding });
    tags.set(coding, headers.etag ?? '');
  }
  t.equal(new Set(tags.values()).size, 3);
  for (const [coding, tag] of tags) {
    t.match(tag, /^"[^"]+"$/, 'strong');
    const known = { 'Accept-Encoding': coding, 'If-None-Match': tag };
    t.equal((await ask(`${url}/v1/style`, known)).status, 304, coding);
    const other = { 'Accept-Encoding': coding === 'br' ? 'gzip' : 'br', 'If-None-Match': tag };
    t.equal((await ask(`${url}/v1/style`, other)).status, 200, 'another coding is another body');
  }
  const compress = compressOnce(text);
  t.equal(await compress('br'), await compress('br'), 'the very same bytes');
});

t.test('a caller that disconnects while its response is compressed affects no one', async (t) => {
  const big = JSON.stringify(Array.from({ length: 200_000 }, (_, index) => index * 7_919));
  const entered: (() => void)[] = [];
  const route: AnyRoute = {
    ...rawRoute('/v1/big', 'application/json'),
    handle: async () => {
      entered.shift()?.();
      return { status: 200, raw: { contentType: 'application/json', body: big } };
    },
  };
  const { url, log } = await startTestServer(t, [route, rawRoute('/v1/small', 'text/plain', 'here')]);
  for (let round = 0; round < 5; round++) {
    const handled = new Promise<void>((resolve) => entered.push(resolve));
    const leaving = httpRequest(`${url}/v1/big`, { headers: { 'Accept-Encoding': 'br' }, agent: false });
    leaving.on('error', () => {});
    leaving.end();
    await handled;
    leaving.destroy();
  }
  t.equal((await ask(`${url}/v1/small`)).body.toString(), 'here');
  const whole = await ask(`${url}/v1/big`, { 'Accept-Encoding': 'br' });
  t.equal(brotliDecompressSync(whole.body).toString(), big);
  t.notOk(log.some(({ level }) => level === 'error' || level === 'warn'));
});
