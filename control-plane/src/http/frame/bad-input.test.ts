import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { aRoute, type Handled, thingRoutes } from '../../../test/_support/http-routes.js';
import { startTestServer } from '../../../test/_support/http-server.js';
import { openSocket, type RawAnswer, rawPost, sendRaw } from '../../../test/_support/raw-http.js';
import { BODY_LIMIT_BYTES, BODY_TIMEOUT_MS } from './body.js';

const LIMIT = 32_768;

/** A server, what reached its handlers, and a way to post a body and see the refusal in short. */
async function start(t: Test) {
  const handled: Handled[] = [];
  const { port, log } = await startTestServer(t, thingRoutes(handled));
  const send = async (...pieces: readonly (string | Buffer)[]) => summary(t, await sendRaw(port, ...pieces));
  const post = (body: string, ...headers: readonly string[]) => send(rawPost('/v1/things', body, ...headers));
  return { handled, log, port, send, post };
}

/** `400 CODE field,field`; checks on the way that an error is in its envelope. */
function summary(t: Test, { status, headers, body }: RawAnswer): string {
  t.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  const { error, request_id } = JSON.parse(body);
  if (error === undefined) return String(status);
  t.equal(error.request_id, request_id);
  t.equal(headers.get('x-request-id'), request_id);
  t.ok(error.message.length > 0);
  return [status, error.code, ...Object.keys(error.details ?? {}).toSorted()].join(' ');
}

const namedOfLength = (bytes: number) => `{"name":"${'x'.repeat(bytes - 11)}"}`;
const chunked = (body: string) =>
  `POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n` +
  `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;

t.test('malformed JSON is 400', async (t) => {
  const { post, handled } = await start(t);
  for (const body of ['{', '{"name":}', 'name=x', '{"name":"x"}}', '\u0000', '{"name":"x\n"}', '<x/>']) {
    t.equal(await post(body), '400 REQUEST_BODY_INVALID body', JSON.stringify(body));
  }
  t.strictSame(handled, []);
});

t.test('a number that would be rounded is 400, and is named', async (t) => {
  const { port, post, handled } = await start(t);
  const numbers = ['18014398509481985', '-9007199254740993', '1e400'];
  for (const number of numbers) {
    const answer = await sendRaw(port, rawPost('/v1/things', `{"name":"x","data":[${number}]}`));
    t.equal(answer.status, 400, number);
    t.match(JSON.parse(answer.body).error.details.body[0].message, `the number ${number}, which would be rounded`);
  }
  t.strictSame(handled, []);
  const kept = [
    '"18014398509481985"',
    '18014398509481984',
    '0.1',
    '0.10000000000000001',
    '1e300',
    '-0',
    '52.520006599999998'.slice(0, 17),
  ];
  for (const value of kept) t.equal(await post(`{"name":"x","data":[${value}]}`), '201', value);
});

t.test('wrong types, unknown and missing fields are 400 with all of them at once', async (t) => {
  const { post, handled } = await start(t);
  t.equal(await post('{"count":"three","colour":"red","size":1}'), '400 VALIDATION_FAILED colour count name size');
  t.equal(await post('{"name":"x","count":11}'), '400 VALIDATION_FAILED count');
  t.equal(await post('{"name":"x","labels":{"a":1}}'), '400 VALIDATION_FAILED labels.a');
  for (const body of ['[]', 'null', '"x"', '1', 'true']) t.equal(await post(body), '400 VALIDATION_FAILED body', body);
  t.strictSame(handled, []);
});

t.test('a body of 32 768 bytes is read, one of 32 769 is 413', async (t) => {
  const { post, handled, port } = await start(t);
  t.equal(BODY_LIMIT_BYTES, LIMIT);
  t.equal(await post(namedOfLength(LIMIT)), '201');
  t.equal(await post(namedOfLength(LIMIT + 1)), '413 REQUEST_BODY_INVALID body');
  const announced = 'POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Length: 32769\r\n\r\n';
  t.equal((await sendRaw(port, announced)).status, 413, 'at once, before a byte of it has come');
  t.equal(handled.length, 1);
});

t.test('the same limit holds for a chunked body of unknown length', async (t) => {
  const { send, handled } = await start(t);
  t.equal(await send(chunked(namedOfLength(LIMIT))), '201');
  t.equal(await send(chunked(namedOfLength(LIMIT + 1))), '413 REQUEST_BODY_INVALID body');
  t.equal(await send(chunked(namedOfLength(33 * 1024))), '413 REQUEST_BODY_INVALID body');
  t.equal(handled.length, 1);
});

t.test('a caller that sends megabytes gets to read the 413, and the connection goes on', async (t) => {
  const { port } = await start(t);
  const next = 'GET /v1/things/t_a HTTP/1.1\r\nHost: a\r\nX-Request-Id: the-next-one\r\n\r\n';
  const big = rawPost('/v1/things', 'x'.repeat(4 * 1024 * 1024));
  t.equal((await sendRaw(port, big)).status, 413);
  const socket = await openSocket(port);
  const received: string[] = [];
  socket.on('data', (chunk) => received.push(chunk.toString()));
  socket.write(big + next);
  await until('the answer after the refusal', () => received.join('').includes('"request_id":"the-next-one"'));
  socket.destroy();
  t.match(received.join(''), /^HTTP\/1\.1 413 .*HTTP\/1\.1 200 /s);
});

t.test('16 000 nested brackets are 400', async (t) => {
  const { post, handled } = await start(t);
  t.equal(await post('['.repeat(16_000) + ']'.repeat(16_000)), '400 REQUEST_BODY_INVALID body');
  t.equal(await post('{"name":'.repeat(4_000)), '400 REQUEST_BODY_INVALID body');
  t.strictSame(handled, []);
});

t.test('depth 32 and 1000 keys pass, 33 and 1001 are 400', async (t) => {
  const { post, handled } = await start(t);
  const nested = (depth: number) => `{"name":"x","data":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  const wide = (keys: number) => {
    const inner = Array.from({ length: keys - 2 }, (_, index) => `"k${index}":0`);
    return `{"name":"x","data":{${inner.join()}}}`;
  };
  t.equal(await post(nested(32)), '201');
  t.equal(await post(nested(33)), '400 REQUEST_BODY_INVALID body');
  t.equal(await post(wide(1000)), '201');
  t.equal(await post(wide(1001)), '400 REQUEST_BODY_INVALID body');
  t.equal(handled.length, 2);
});

t.test('NUL and lone surrogates are 400 with their field', async (t) => {
  const { post, handled } = await start(t);
  t.equal(await post('{"name":"a\\u0000"}'), '400 VALIDATION_FAILED name');
  t.equal(await post('{"name":"\\ud800"}'), '400 VALIDATION_FAILED name');
  t.equal(await post('{"name":"x","labels":{"a":"\\udfff"}}'), '400 VALIDATION_FAILED labels.a');
  t.equal(await post('{"name":"x","labels":{"\\u0000":"b"}}'), '400 VALIDATION_FAILED labels.\ufffd');
  t.equal(await post('{"name":"\u0000"}'), '400 REQUEST_BODY_INVALID body', 'raw, where JSON does not allow it');
  t.strictSame(handled, []);
});

t.test('__proto__, constructor and prototype are unknown fields like any other, and pollute nothing', async (t) => {
  const { post, handled } = await start(t);
  for (const key of ['__proto__', 'constructor', 'prototype']) {
    t.equal(await post(`{"name":"x","${key}":{"isAdmin":true}}`), `400 VALIDATION_FAILED ${key}`);
  }
  t.equal(await post('{"name":"x","labels":{"__proto__":"y"}}'), '400 VALIDATION_FAILED labels.__proto__');
  t.equal(await post('{"name":"x","data":{"a":{"\\u005f_proto__":{}}}}'), '400 VALIDATION_FAILED data.a.__proto__');
  t.equal(Reflect.get({}, 'isAdmin'), undefined);
  t.strictSame(handled, []);
});

t.test('a content type other than JSON, or JSON that is not UTF-8, is 400', async (t) => {
  const { send, handled } = await start(t);
  const typed = (...lines: readonly string[]) =>
    `POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n{"name":"x"}`;
  const bad = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/vnd.api+json',
    'application/json; charset=utf-16',
    `application/json${' '.repeat(8_000)}x`,
  ];
  for (const type of bad)
    t.equal(await send(typed(`Content-Type: ${type}`)), '400 REQUEST_BODY_INVALID body', type.slice(0, 40));
  t.equal(await send(typed()), '400 REQUEST_BODY_INVALID body', 'none at all');
  t.equal(
    await send(typed('Content-Type: application/json', 'Content-Encoding: gzip')),
    '400 REQUEST_BODY_INVALID body',
  );
  t.strictSame(handled, []);
  for (const type of ['application/json', 'Application/JSON; Charset="UTF-8"', 'application/json;']) {
    t.equal(await send(typed(`Content-Type: ${type}`)), '201', type);
  }
  t.equal(await send(typed('Content-Type: application/json', 'Content-Encoding: identity')), '201');
});

/** An operation that takes any body, by POST and GET, and what it took: method, text, and true if the body was cut. */
function anyBody() {
  const seen: unknown[] = [];
  const route = aRoute('/any', {
    method: 'POST',
    rawBody: { keepBytes: 4 },
    replyKind: 'text',
    handle: async ({ method, rawBody: { bytes, isCut } }) => {
      seen.push([method, bytes.toString('latin1'), isCut]);
      return { status: 200, raw: { contentType: 'text/plain', body: 'OK' } };
    },
  });
  const get = aRoute('/any', { operationId: 'get', replyKind: 'text', handle: route.handle });
  return { seen, routes: [route, get] };
}

t.test('a slash at the end of an address outside the API changes nothing', async (t) => {
  const { seen, routes } = anyBody();
  const { port } = await startTestServer(t, routes);
  for (const target of ['/any/', '/any/?a=b', '/any//', `/any${'/'.repeat(8_000)}`, 'http://a/any/'])
    t.equal((await sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)).status, 200, target.slice(0, 20));
  t.equal(seen.length, 5);
  for (const target of ['/any/x', '/any/x/', '//', '//any', '/any/./'])
    t.equal((await sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)).status, 404, target);
});

t.test('an operation that takes any body gets its beginning unchanged, and learns if it was cut', async (t) => {
  const { seen, routes } = anyBody();
  const { port } = await startTestServer(t, routes);
  const post = (type: string, body: string) =>
    `POST /any HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const requests = [
    'POST /any HTTP/1.1\r\nHost: a\r\n\r\n',
    post('image/png', '\x89PNG'),
    post('application/json', '{"'),
    post('text/plain', 'xxxxx'),
    post('text/plain', 'x'.repeat(LIMIT + 1)),
    post('text/plain', 'x'.repeat(1024 * 1024)),
    chunked('x'.repeat(LIMIT + 1)).replace('/v1/things', '/any'),
  ];
  for (const request of requests) t.equal((await sendRaw(port, Buffer.from(request, 'latin1'))).status, 200);
  t.equal((await fetch(`http://127.0.0.1:${port}/any`, { method: 'HEAD' })).status, 200);
  t.strictSame(seen, [
    ['POST', '', false],
    ['POST', '\x89PNG', false],
    ['POST', '{"', false],
    ['POST', 'xxxx', true],
    ['POST', 'xxxx', true],
    ['POST', 'xxxx', true],
    ['POST', 'xxxx', true],
    ['HEAD', '', false],
  ]);
});

t.test('a caller that sends megabytes to an operation that takes any body is read to its end', async (t) => {
  const { seen, routes } = anyBody();
  const { port } = await startTestServer(t, routes);
  const socket = await openSocket(port);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  const megabytes = 'x'.repeat(8 * 1024 * 1024);
  socket.write(`POST /any HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ${megabytes.length}\r\n\r\n`);
  await until('leave to send the body', () => received.startsWith('HTTP/1.1 100 '));
  await new Promise<void>((resolve, reject) => socket.write(megabytes, (error) => (error ? reject(error) : resolve())));
  await until('the response', () => received.endsWith('OK'));
  socket.write('GET /any HTTP/1.1\r\nHost: a\r\n\r\n');
  await until('the response to the next request', () => seen.length === 2);
  socket.destroy();
  t.strictSame(seen, [
    ['POST', 'xxxx', true],
    ['GET', '', false],
  ]);
});

t.test('an operation that takes any body takes what arrived of one that stops coming', async (t) => {
  const clock = new FakeClock();
  const { seen, routes } = anyBody();
  const { port } = await startTestServer(t, routes, { clock });
  const socket = await openSocket(port);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  socket.write('POST /any HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\nab');
  await until('the body timer', () => clock.pendingTimers > 0);
  await new Promise(setImmediate);
  clock.advance(BODY_TIMEOUT_MS);
  await until('the response', () => received.endsWith('OK'));
  socket.destroy();
  t.strictSame(seen, [['POST', 'ab', true]]);
});

t.test(
  'an operation that takes a file gets it as it is, up to a limit of its own, from those who may send one',
  async (t) => {
    const seen: string[] = [];
    const file = {
      maxBytes: 100_000,
      mediaTypes: ['application/json', 'text/yaml'],
      description: 'A file.',
      examples: { json: {}, text: '' },
    };
    const route = (path: string, more: object = {}) =>
      aRoute(path, {
        method: 'POST',
        file,
        handle: async ({ file: bytes }) => {
          seen.push(bytes.toString());
          return { status: 200, data: null };
        },
        ...more,
      });
    const closed = route('/own-files', { auth: { kind: 'scope', scope: 'probe' } });
    const { port } = await startTestServer(t, [route('/files'), closed]);
    const send = async (...pieces: readonly string[]) => summary(t, await sendRaw(port, ...pieces));
    const post = (path: string, type: string, body: string) =>
      send(
        `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    t.equal(await post('/files', 'text/yaml; charset=utf-8', '- a'), '200');
    t.equal(await post('/files', 'application/json', 'x'.repeat(100_000)), '200', 'nobody reads it as JSON');
    t.equal(await post('/files', 'text/plain', 'x'), '400 REQUEST_BODY_INVALID body');
    t.equal(await post('/files', 'text/yaml', ''), '400 REQUEST_BODY_INVALID body');
    t.equal(await post('/files', 'text/yaml', 'x'.repeat(100_001)), '413 REQUEST_BODY_INVALID body');
    t.equal(await send(chunked('x'.repeat(100_001)).replace('/v1/things', '/files')), '413 REQUEST_BODY_INVALID body');
    t.equal(await post('/own-files', 'text/yaml', '- a'), '401 AUTH_REQUIRED');
    const waiting = 'POST /own-files HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n';
    t.equal((await sendRaw(port, waiting)).status, 401, 'before a byte of it has come');
    t.strictSame(
      seen.map(({ length }) => length),
      [3, 100_000],
    );
  },
);

t.test('an empty body where one is wanted is 400, a body on a GET is ignored', async (t) => {
  const { send, post } = await start(t);
  t.equal(await post(''), '400 REQUEST_BODY_INVALID body');
  t.equal(await send('POST /v1/things HTTP/1.1\r\nHost: a\r\n\r\n'), '400 REQUEST_BODY_INVALID body');
  t.equal(await send('GET /v1/things/t_a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n{{{{{'), '200');
});

t.test('bytes that are not UTF-8 are 400', async (t) => {
  const { send } = await start(t);
  const head = 'POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n';
  t.equal(await send(head, Buffer.from('{"name":"\xff"}', 'latin1')), '400 REQUEST_BODY_INVALID body');
});

t.test('no Host, two of them or a bad one is 400', async (t) => {
  const { send, handled } = await start(t);
  const get = (...lines: readonly string[]) =>
    `GET /v1/things/t_a HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
  t.equal(await send(get()), '400 REQUEST_BODY_INVALID host');
  t.equal(await send(get('Host: a', 'Host: b')), '400 REQUEST_BODY_INVALID host');
  t.equal(await send(get('Host: a', 'hOST: a')), '400 REQUEST_BODY_INVALID host', 'even the same twice');
  for (const host of ['', 'a b', 'a/b', 'a@b', 'a:b', 'a:1:2', '[::1', 'http://a', 'a,b:x', `${'a'.repeat(300)}`]) {
    t.equal(await send(get(`Host: ${host}`)), '400 REQUEST_BODY_INVALID host', host);
  }
  t.strictSame(handled, []);
  for (const host of ['example.com', 'example.com:8080', '127.0.0.1', '[::1]:8080', 'a_b-c']) {
    t.equal(await send(get(`Host: ${host}`)), '200', host);
  }
  t.equal(await send('GET /v1/things/t_a HTTP/1.0\r\n\r\n'), '200', 'HTTP/1.0 had none');
});

t.test('two Authorization headers are 400', async (t) => {
  const { send } = await start(t);
  const lines = 'Authorization: Bearer reader\r\nauthorization: Bearer prober\r\n';
  t.equal(
    await send(`GET /v1/things/t_a HTTP/1.1\r\nHost: a\r\n${lines}\r\n`),
    '400 REQUEST_BODY_INVALID authorization',
  );
});

t.test('bytes that are not HTTP get an error in the envelope, and headers over 16 KiB get 431', async (t) => {
  const { send, handled } = await start(t);
  const bad = [
    'nonsense\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET /v1/things/t_a HTTP/1.1\r\nHost : a\r\n\r\n',
    'GET /v1/things/t_a HTTP/1.1\r\nHost: a\r\nX: \u0000\r\n\r\n',
    'FROBNICATE /v1/things HTTP/1.1\r\nHost: a\r\n\r\n',
    'POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    'POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
    'POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n',
    'POST /v1/things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  ];
  for (const text of bad)
    t.equal(await send(Buffer.from(text, 'latin1')), '400 REQUEST_BODY_INVALID', JSON.stringify(text));
  const large = `GET /v1/things/t_a HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(200_000)}\r\n\r\n`;
  t.equal(await send(large), '431 REQUEST_BODY_INVALID');
  t.equal(await send('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'), '404 NOT_FOUND');
  t.strictSame(handled, []);
});

t.test('odd request targets are 400 or 404, never a failure of the server', async (t) => {
  const { send, log } = await start(t);
  const targets = [
    '/%',
    '/v1/%zz',
    '//',
    '/v1/../x',
    '*',
    'http://',
    'http://other/v1/nothing',
    '/v1/things/t_a/',
    '/\xff',
    '/?',
    '/#',
  ];
  for (const target of targets) {
    t.match(
      await send(Buffer.from(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`, 'latin1')),
      /^40[04] /,
      JSON.stringify(target),
    );
  }
  t.equal(await send('GET http://other/v1/things/t_a HTTP/1.1\r\nHost: other\r\n\r\n'), '200', 'absolute form');
  t.equal(await send('GET /v1/things/t_a HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\n\r\n'), '200', 'unknown Expect');
  t.strictSame(
    log.filter(({ level }) => level === 'error'),
    [],
  );
});
