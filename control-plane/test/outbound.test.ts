import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { refusedIPv4, refusedIPv6 } from '@vantage/shared/target-policy/refused-ranges.js';
import t, { type Test } from 'tap';
import { judge, Outbound, OutboundError, type OutboundRequest } from '../src/deliver/index.js';
import { answering, listen } from './_support/counted-listener.js';
import { type Behaviour, chunkedHead, drips, floods, interim } from './_support/hostile-server.js';
import { holdsNobodyUp } from './_support/longest-turn.js';

// Of this machine the policy allows 127.0.0.1 alone: 127.0.0.2 is the private address that must not be reached.

const PRIVATE = '127.0.0.2';
const SITE = 'site.example.com';
const pem = (name: string) => readFileSync(new URL(`../../test/testdata/tls/${name}`, import.meta.url), 'utf8');
const policy = new TargetPolicy({ allow: ['127.0.0.1/32'], own: [], denied: ['denied.example.com'] });
const asked = { method: 'POST', deadlineMs: 10_000, maxResponseBytes: 65_536, secrets: [] } as const;

/** Its deadlines never come unless a test moves the clock that it gives. */
function anOutbound(options: Partial<ConstructorParameters<typeof Outbound>[0]> = {}): Outbound {
  return new Outbound({ policy: () => policy, userAgent: 'Vantage/test', clock: new FakeClock(), ...options });
}

const serving = (t: Test, listener: RequestListener) => listen(t, createServer(listener));
const listening = (t: Test, host: string) =>
  listen(
    t,
    createTcpServer((socket) => socket.resume()),
    host,
  );

async function failureOf(t: Test, outbound: Outbound, request: OutboundRequest): Promise<OutboundError> {
  const error = await outbound.send(request).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  t.type(error, OutboundError);
  return error as OutboundError;
}

t.test('a request reaches the resolved address, under the original name', async (t) => {
  const seen: IncomingMessage[] = [];
  const server = createTlsServer({ cert: pem('site.pem'), key: pem('site.key') }, (request, response) => {
    seen.push(request);
    request.pipe(response.writeHead(201, { 'x-kind': 'echo' }));
  });
  const { port } = await listen(t, server);
  const outbound = anOutbound({ resolve: answering(['127.0.0.1']), trustedCertificates: [pem('ca.pem')] });
  const url = `https://${SITE}:${port}/in?a=b#c`;
  const response = await outbound.send({ ...asked, url, headers: { 'X-Own': 'yes' }, body: '{"n":1}' });
  t.match(response, { status: 201, headers: { 'x-kind': 'echo' }, isComplete: true, excerpt: '{"n":1}' });
  t.equal(response.body.toString(), '{"n":1}');
  t.match(seen, [{ method: 'POST', url: '/in?a=b' }]);
  t.match(seen[0]?.headers, { host: `${SITE}:${port}`, 'x-own': 'yes', 'user-agent': 'Vantage/test' });
  t.match(seen[0]?.socket, { servername: SITE });
});

t.test('a name that resolves differently the second time is connected at the address that was judged', async (t) => {
  const good = await serving(t, (_request, response) => response.end('good'));
  const bad = await listen(t, createTcpServer(), PRIVATE, good.port);
  const resolve = answering(['127.0.0.1'], [PRIVATE]);
  const outbound = anOutbound({ resolve });
  const url = `http://rebinding.example.com:${good.port}/`;
  t.equal((await outbound.send({ ...asked, url })).body.toString(), 'good');
  t.equal(resolve.asked, 1);
  t.equal((await failureOf(t, outbound, { ...asked, url })).reason, 'refused', 'the next exchange is judged again');
  t.equal(bad.connections, 0);
});

t.test("an address of the operator's own is reached although the policy refuses it, by a name too", async (t) => {
  const site = await listen(
    t,
    createServer((_request, response) => response.end('own')),
    PRIVATE,
  );
  const resolve = answering([PRIVATE]);
  for (const host of [PRIVATE, 'gateway.lan', 'denied.example.com']) {
    const url = `http://${host}:${site.port}/`;
    const response = await anOutbound({ resolve }).send({ ...asked, url, isExempt: true });
    t.equal(response.body.toString(), 'own', host);
    t.equal((await failureOf(t, anOutbound({ resolve }), { ...asked, url })).reason, 'refused', host);
  }
});

t.test('a redirect to a private address is a response, and is not followed', async (t) => {
  const secret = await listening(t, PRIVATE);
  const location = `http://${PRIVATE}:${secret.port}/`;
  for (const status of [301, 302, 303, 307, 308]) {
    const site = await serving(t, (_request, response) => response.writeHead(status, { location }).end());
    const response = await anOutbound().send({ ...asked, url: `http://127.0.0.1:${site.port}/` });
    t.match(judge(response.status, response.headers, 0), { ok: false, reason: 'redirected' });
  }
  t.equal(secret.connections, 0);
});

t.test('a refused target is refused when it is written or when it resolves, and no packet leaves', async (t) => {
  const hidden = await listening(t, PRIVATE);
  const { port } = hidden;
  const written = [
    `http://${PRIVATE}:${port}/`,
    `https://${PRIVATE}:${port}/`,
    `https://[::1]:${port}/`,
    `https://[::ffff:7f00:2]:${port}/`,
    `https://2130706434:${port}/`,
    `https://localhost:${port}/`,
    'https://denied.example.com/',
    'https://user:password@example.com/',
    'https://example.com:25/',
    'http://8.8.8.8/',
    'ftp://example.com/',
    'file:///etc/passwd',
  ];
  for (const url of written) {
    t.throws(() => anOutbound().check(url, 'config.url'), { name: 'TargetError', field: 'config.url' }, url);
    t.equal((await failureOf(t, anOutbound(), { ...asked, url })).reason, 'refused', url);
  }
  const resolved = [[PRIVATE], ['127.0.0.1', PRIVATE], ['10.0.0.1'], ['169.254.169.254']];
  for (const answer of resolved) {
    for (const scheme of ['http', 'https']) {
      const outbound = anOutbound({ resolve: answering(answer) });
      const url = `${scheme}://inside.example.com:${port}/`;
      t.doesNotThrow(() => outbound.check(url, 'config.url'));
      const error = await failureOf(t, outbound, { ...asked, url });
      t.match(error, { reason: 'refused', isRetryable: false, mayHaveArrived: false }, `${url} ${answer}`);
      for (const address of answer) t.notMatch(error.message, address, 'the address behind the name is not revealed');
    }
  }
  const plain = anOutbound({ resolve: answering(['8.8.8.8']) });
  t.match(await failureOf(t, plain, { ...asked, url: 'http://open.example.com/' }), { reason: 'refused' });
  const closed = anOutbound({ policy: () => new TargetPolicy({ allow: [], own: [], denied: [] }) });
  t.throws(() => closed.check('http://example.com/', 'url'), /https/, 'without allowed ranges no name is plain');
  t.equal(hidden.connections, 0);
});

t.test('every reserved range is refused where it is written, and behind a name', async (t) => {
  // of loopback, one address is allowed here
  const ranges = [...refusedIPv4, ...refusedIPv6].filter(({ cidr }) => cidr !== '127.0.0.0/8');
  t.ok(ranges.length > 30, `${ranges.length} ranges`);
  for (const { cidr } of ranges) {
    const address = cidr.replace(/\/.*/, '');
    const host = address.includes(':') ? `[${address}]` : address;
    const refusal = { name: 'TargetError', field: 'config.url' };
    t.throws(() => anOutbound().check(`https://${host}/`, 'config.url'), refusal, cidr);
    const family = address.includes(':') ? (6 as const) : (4 as const);
    const outbound = anOutbound({ resolve: async () => [{ address, family }] });
    t.equal((await failureOf(t, outbound, { ...asked, url: 'https://turned.example.com/' })).reason, 'refused', cidr);
  }
});

t.test('a header that frames the message, or breaks out of its line, is refused', async (t) => {
  const site = await serving(t, (_request, response) => response.end());
  const url = `http://127.0.0.1:${site.port}/`;
  for (const headers of [{ Host: 'other.example.com' }, { 'Transfer-Encoding': 'chunked' }, { 'X-A': 'a\r\nX-B: b' }])
    t.match(await failureOf(t, anOutbound(), { ...asked, url, headers }), { reason: 'refused' });
  t.equal(site.connections, 0);
});

t.test('one deadline applies to the whole exchange, whichever part is slow', async (t) => {
  const slow: Record<string, Behaviour> = {
    'accepts and says nothing': () => {},
    'sends its head byte by byte': drips('HTTP/1.1 200 OK\r\nx-a: ', 'a'),
    'sends interim responses without end': drips('', interim),
    'sends its body byte by byte': drips('HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n', 'a'),
  };
  for (const [name, serve] of Object.entries(slow)) {
    const clock = new FakeClock();
    const site = await listen(
      t,
      createTcpServer((socket) => socket.once('data', () => serve(socket))),
    );
    const failing = failureOf(t, anOutbound({ clock }), { ...asked, url: `http://127.0.0.1:${site.port}/` });
    await until('a connection', () => site.open === 1);
    clock.advance(9_999);
    t.equal(clock.pendingTimers, 1, name);
    clock.advance(1);
    t.match(await failing, { reason: 'timeout', isRetryable: true }, name);
    await until('the connection to be closed', () => site.open === 0);
  }
  // connected to, and never agrees on TLS
  const mute = await listening(t, '127.0.0.1');
  const muted = new FakeClock();
  const failing = failureOf(t, anOutbound({ clock: muted }), { ...asked, url: `https://127.0.0.1:${mute.port}/` });
  await until('a connection', () => mute.open === 1);
  muted.advance(10_000);
  t.match(await failing, { reason: 'timeout', mayHaveArrived: false }, 'a server that is silent in TLS');
  await until('the connection to be closed', () => mute.open === 0);
  const clock = new FakeClock();
  const deaf = failureOf(t, anOutbound({ clock, resolve: () => new Promise(() => {}) }), {
    ...asked,
    url: 'https://slow.example.com/',
  });
  clock.advance(10_000);
  t.match(await deaf, { reason: 'timeout', mayHaveArrived: false }, 'a resolver that does not answer');
  t.equal(clock.pendingTimers, 0);
});

t.test('a flood of bytes outside the body ends the exchange before its deadline, and delays no other', async (t) => {
  const hints = `HTTP/1.1 103 Early Hints\r\nlink: ${'<a>'.repeat(500)}\r\n\r\n`;
  const chunked = chunkedHead(200);
  const cases: Record<string, readonly [begin: string, each: string]> = {
    'interim responses': ['', interim],
    'interim responses with headers': ['', hints],
    'empty lines before the head': ['', '\r\n'],
    'a reason without end': ['HTTP/1.1 200 ', 'a'],
    'an extension of a chunk without end': [`${chunked}5;a=`, 'a'],
    'header lines without end': ['HTTP/1.1 200 x\r\n', 'a:\r\n'],
    'trailers without end': [`${chunked}1\r\na\r\n0\r\n`, 'a:\r\n'],
    'chunks of one byte': [chunked, '1\r\na\r\n'],
  };
  const tls = { cert: pem('site.pem'), key: pem('site.key') };
  for (const [name, [begin, each]] of Object.entries(cases)) {
    const onSocket = (socket: Socket) => socket.once('data', () => floods(begin, each)(socket));
    const clock = new FakeClock();
    const plain = await listen(t, createTcpServer(onSocket));
    const failing = () => failureOf(t, anOutbound({ clock }), { ...asked, url: `http://127.0.0.1:${plain.port}/` });
    const wanted = { reason: 'protocol', message: /too many bytes/, isRetryable: true, mayHaveArrived: true };
    t.match(await failing(), wanted, name);
    await holdsNobodyUp(t, name, failing);
    await until('the connections to be closed', () => plain.open === 0);
    const encrypted = await listen(t, createTlsServer(tls).on('secureConnection', onSocket));
    const outbound = anOutbound({ clock, resolve: answering(['127.0.0.1']), trustedCertificates: [pem('ca.pem')] });
    const error = await failureOf(t, outbound, { ...asked, url: `https://${SITE}:${encrypted.port}/` });
    t.match(error, { reason: 'protocol', message: /too many bytes/ }, `${name}, over TLS`);
  }
});

t.test('a response of chunks of one byte, after some interim responses, is read whole', async (t) => {
  const site = await listen(
    t,
    createTcpServer((socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(20));
        socket.end(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(30_000)}0\r\n\r\n`);
      }),
    ),
  );
  const response = await anOutbound().send({ ...asked, url: `http://127.0.0.1:${site.port}/` });
  t.match(response, { status: 200, isComplete: true });
  t.equal(response.body.length, 30_000);
});

t.test('at most the requested number of bytes is read of an endless response', async (t) => {
  const site = await serving(t, (_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
    };
    response.on('drain', more);
    more();
  });
  const request = { ...asked, url: `http://127.0.0.1:${site.port}/`, maxResponseBytes: 100_000 };
  const response = await anOutbound().send(request);
  t.match(response, { status: 200, isComplete: false });
  t.equal(response.body.length, 100_000);
  t.equal(response.excerpt.length, 4_096);
  await until('the connection to be closed', () => site.open === 0);
});

t.test('a compressed response is read as it is, so that a small one stays small', async (t) => {
  const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024));
  const site = await serving(t, (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  );
  const response = await anOutbound().send({ ...asked, url: `http://127.0.0.1:${site.port}/` });
  t.ok(response.body.equals(bomb));
});

t.test('an invalid HTTP response, or an overlong head, is a failure that may pass', async (t) => {
  const heads = [
    'SSH-2.0-OpenSSH_9\r\n',
    'HTTP/1.1 101 Other\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n',
    `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(40_000)}\r\n\r\n`,
    'HTTP/1.1 200 OK\r\nx',
  ];
  for (const head of heads) {
    const site = await listen(
      t,
      createTcpServer((socket) => socket.once('data', () => socket.end(head))),
    );
    const error = await failureOf(t, anOutbound(), { ...asked, url: `http://127.0.0.1:${site.port}/` });
    t.match(error, { reason: 'protocol', isRetryable: true, mayHaveArrived: true }, head.slice(0, 20));
  }
});

t.test('a failure says whether the server may have received the request', async (t) => {
  const gone = await listening(t, '127.0.0.1');
  const server = createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
  const resetting = await listen(t, server);
  const port = await portOfNobody();
  t.match(await failureOf(t, anOutbound(), { ...asked, url: `http://127.0.0.1:${port}/` }), {
    reason: 'unreachable',
    message: `http://127.0.0.1:${port}: cannot connect (ECONNREFUSED)`,
    isRetryable: true,
    mayHaveArrived: false,
  });
  t.match(await failureOf(t, anOutbound(), { ...asked, url: `http://127.0.0.1:${resetting.port}/` }), {
    reason: 'protocol',
    mayHaveArrived: true,
  });
  const nowhere = anOutbound({ resolve: answering([]) });
  t.match(await failureOf(t, nowhere, { ...asked, url: 'https://none.example.com/' }), { reason: 'dns' });
  t.equal(gone.connections, 0);
});

t.test('an address without a route is a failure of its exchange alone, before and after TLS is begun', async (t) => {
  // nothing of it leaves: a broadcast address has no route for TCP on any machine
  const outbound = anOutbound({ resolve: answering(['255.255.255.255'], ['255.255.255.255', '255.255.255.255']) });
  for (const url of ['https://far.example.com/', 'https://far.example.com/', 'http://far.example.com/'])
    t.match(await failureOf(t, outbound, { ...asked, url, isExempt: true }), {
      reason: 'unreachable',
      message: /ENETUNREACH/,
      mayHaveArrived: false,
    });
});

t.test('a name with thousands of addresses that fail at once is a failure of its exchange', async (t) => {
  const addresses = Array.from({ length: 12_000 }, () => ({ address: '255.255.255.255', family: 4 as const }));
  const outbound = anOutbound({ resolve: async () => addresses });
  const request = { ...asked, url: 'https://many.example.com/', isExempt: true };
  t.match(await failureOf(t, outbound, request), { reason: 'unreachable', message: /ENETUNREACH/ });
});

t.test('an exchange that is given up while its name is looked up sends nothing afterwards', async (t) => {
  const site = await serving(t, (_request, response) => response.end('ok'));
  const clock = new FakeClock();
  let end = () => {};
  const resolve = (): Promise<{ address: string; family: 4 }[]> =>
    new Promise((found) => {
      end = () => found([{ address: '127.0.0.1', family: 4 }]);
    });
  const outbound = anOutbound({ clock, resolve });
  const request = { ...asked, url: `http://${SITE}:${site.port}/`, keptFor: 'wh_1' };
  const first = outbound.send(request);
  await until('the lookup', () => clock.pendingTimers === 1);
  end();
  await first;
  const failing = failureOf(t, outbound, request);
  await new Promise((done) => setImmediate(done));
  clock.advance(10_000);
  end();
  t.match(await failing, { reason: 'timeout', mayHaveArrived: false });
  t.equal(outbound.keptConnections, 1, 'the kept connection was not taken');
  outbound.stop();
  await until('it to be closed', () => site.open === 0);
});

t.test('when it stops, exchanges under way end, whatever they wait for, and none begins', async (t) => {
  const resolve = (name: string) =>
    name === 'deaf.example.com'
      ? new Promise<never>(() => {})
      : Promise.resolve([{ address: '127.0.0.1', family: 4 as const }]);
  const outbound = anOutbound({ resolve });
  const mute = await listening(t, '127.0.0.1');
  const urls = ['https://deaf.example.com/', `https://${SITE}:${mute.port}/`, `http://127.0.0.1:${mute.port}/`];
  const failing = urls.map((url) => failureOf(t, outbound, { ...asked, url }));
  await until('connections', () => mute.open === 2);
  outbound.stop();
  for (const failure of failing) t.match(await failure, { reason: 'unreachable', message: /stops/ });
  await until('the connections to be closed', () => mute.open === 0);
  t.match(await failureOf(t, outbound, { ...asked, url: urls[2] ?? '' }), { message: /stops/ });
  t.equal(mute.connections, 2);
});

async function portOfNobody(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

t.test('an invalid certificate ends the exchange before the request', async (t) => {
  let requests = 0;
  const server = createTlsServer({ cert: pem('site.pem'), key: pem('site.key') }, (_request, response) => {
    requests += 1;
    response.end();
  });
  const { port } = await listen(t, server);
  const resolve = answering(['127.0.0.1']);
  const trusted = { resolve, trustedCertificates: [pem('ca.pem')] };
  const cases = [
    [anOutbound({ resolve }), SITE],
    [anOutbound(trusted), 'other.example.com'],
  ] as const;
  for (const [outbound, name] of cases) {
    const error = await failureOf(t, outbound, { ...asked, url: `https://${name}:${port}/` });
    t.match(error, { reason: 'tls', mayHaveArrived: false }, name);
  }
  t.equal(requests, 0);
});

t.test('proxies of the environment are ignored', async (t) => {
  const site = await serving(t, (_request, response) => response.end('direct'));
  const proxy = await listening(t, '127.0.0.1');
  const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];
  const before = names.map((name) => [name, process.env[name]] as const);
  t.teardown(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
  process.env['NODE_USE_ENV_PROXY'] = '1';
  t.teardown(() => delete process.env['NODE_USE_ENV_PROXY']);
  const response = await anOutbound().send({ ...asked, url: `http://127.0.0.1:${site.port}/` });
  t.equal(response.body.toString(), 'direct');
  t.equal(proxy.connections, 0);
});

t.test('no secret is in an error or in the shown part of a response', async (t) => {
  const secret = 'xoxb-1234/567';
  const echoing = await serving(t, (request, response) =>
    response.end(`${request.url} ${request.headers.authorization} ${encodeURIComponent(secret)}`),
  );
  const breaking = await listen(
    t,
    createTcpServer((socket) => socket.once('data', (data) => socket.end(data))),
  );
  const requestTo = (port: number) => ({
    ...asked,
    url: `http://127.0.0.1:${port}/hooks/${secret}?token=${encodeURIComponent(secret)}`,
    headers: { authorization: `Basic ${Buffer.from(secret).toString('base64')}` },
    secrets: [secret],
  });
  const isShown = (text: string) =>
    [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')].some((form) => text.includes(form));
  const { excerpt } = await anOutbound().send(requestTo(echoing.port));
  t.match(excerpt, /^\/hooks\/\*{8}\?token=\*{8} Basic \*{8} \*{8}$/);
  const port = await portOfNobody();
  for (const request of [requestTo(breaking.port), requestTo(port), { ...requestTo(port), url: `ftp://${secret}/` }])
    t.notOk(isShown(inspect(await failureOf(t, anOutbound(), request), { depth: 9, showHidden: true })));
  const cut = await anOutbound().send({ ...requestTo(echoing.port), maxResponseBytes: 12 });
  t.notMatch(cut.excerpt, 'xoxb', 'nor the beginning of one where reading ended');
});

t.test('a caller may abort, with a reason of its own', async (t) => {
  const site = await listening(t, '127.0.0.1');
  const controller = new AbortController();
  const url = `http://127.0.0.1:${site.port}/`;
  const sending = anOutbound().send({ ...asked, url, signal: controller.signal });
  await until('a connection', () => site.open === 1);
  controller.abort(new Error('stopping'));
  await t.rejects(sending, /stopping/);
  await until('the connection to be closed', () => site.open === 0);
});
