import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { createServer as createSecureServer, TLSSocket } from 'node:tls';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import t, { type Test } from 'tap';
import { Outbound, type OutboundError, type OutboundRequest } from '../src/deliver/index.js';
import { answering, listen } from './_support/counted-listener.js';
import { floods, interim } from './_support/hostile-server.js';

// 127.0.0.1 and 127.0.0.3 are allowed; 127.0.0.2 is the private address that must not be reached.

const PRIVATE = '127.0.0.2';
const OTHER = '127.0.0.3';
const SITE = 'site.example.com';
/** Time after which idle connections are closed anyway: long, because a busy machine must not reach it. */
const IDLE_MS = 40_000;
/** Less than that. */
const PROMPTLY_MS = 30_000;
const pem = (name: string) => readFileSync(new URL(`../../test/testdata/tls/${name}`, import.meta.url), 'utf8');
const tls = { cert: pem('site.pem'), key: pem('site.key') };
const policyOf = (...denied: string[]) =>
  new TargetPolicy({ allow: ['127.0.0.1/32', '127.0.0.3/32'], own: [], denied });
const asked = {
  method: 'POST',
  body: '{}',
  deadlineMs: 100_000,
  maxResponseBytes: 65_536,
  secrets: [],
  keptFor: 'wh_1',
} as const;

function anOutbound(t: Test, options: Partial<ConstructorParameters<typeof Outbound>[0]> = {}): Outbound {
  const outbound = new Outbound({
    policy: () => policyOf(),
    userAgent: 'Vantage/test',
    clock: systemClock,
    idleMs: IDLE_MS,
    ...options,
  });
  t.teardown(() => outbound.stop());
  return outbound;
}

const serving = (t: Test, listener: RequestListener, host?: string, port?: number) =>
  listen(t, createServer({ keepAliveTimeout: 0 }, listener), host, port);
const ok: RequestListener = (request, response) => {
  request.resume();
  response.end('ok');
};

async function textOf(outbound: Outbound, request: OutboundRequest): Promise<string> {
  return (await outbound.send(request)).body.toString();
}

function failureOf(outbound: Outbound, request: OutboundRequest): Promise<OutboundError> {
  return outbound.send(request).then(
    () => Promise.reject(new Error('the exchange has not failed')),
    (error: unknown) => error as OutboundError,
  );
}

/** Replies to the requests of a connection: `replies[n]` gets the socket once the nth request has arrived. */
function inTurns(replies: readonly ((socket: Socket) => void)[]) {
  return (socket: Socket) => {
    let received = '';
    let requests = 0;
    socket.on('error', () => {});
    socket.on('data', (data) => {
      received += data;
      if (!received.endsWith('{}')) return;
      received = '';
      replies[Math.min(requests, replies.length - 1)]?.(socket);
      requests += 1;
    });
  };
}

const accept = (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');

t.test('a connection is used again by requests of the same name, and by no other request', async (t) => {
  const site = await serving(t, ok);
  const outbound = anOutbound(t, { resolve: answering(['127.0.0.1']) });
  const url = `http://127.0.0.1:${site.port}/`;
  for (let count = 0; count < 5; count += 1) t.equal(await textOf(outbound, { ...asked, url: `${url}${count}` }), 'ok');
  t.equal(site.connections, 1);
  await outbound.send({ ...asked, url, keptFor: 'wh_2' });
  t.equal(site.connections, 2, 'another endpoint');
  await outbound.send({ ...asked, url: `http://${SITE}:${site.port}/` });
  t.equal(site.connections, 3, 'another host name');
  await outbound.send({ ...asked, url, isExempt: true });
  t.equal(site.connections, 4, "an address of the operator's own");
  const { keptFor: _, ...unkept } = asked;
  await outbound.send({ ...unkept, url });
  t.equal(site.connections, 5, 'a request without a name');
  await until('its connection to be closed', () => site.open === 4, PROMPTLY_MS);
  await Promise.all([1, 2, 3].map(() => outbound.send({ ...asked, url })));
  t.equal(site.connections, 7, 'one request at a time');
});

t.test('a connection over TLS is used again for its own name only, whose certificate it was checked for', async (t) => {
  const server = createTlsServer({ ...tls, keepAliveTimeout: 0 }, ok);
  const site = await listen(t, server);
  const outbound = anOutbound(t, { resolve: answering(['127.0.0.1']), trustedCertificates: [pem('ca.pem')] });
  const url = `https://${SITE}:${site.port}/`;
  for (let count = 0; count < 3; count += 1) t.equal(await textOf(outbound, { ...asked, url }), 'ok');
  t.equal(site.connections, 1);
  const wrong = await failureOf(outbound, { ...asked, url: `https://other.example.com:${site.port}/` });
  t.match(wrong, { reason: 'tls', mayHaveArrived: false });
});

t.test('a name that resolves to other addresses is not sent over the kept connection, which is closed', async (t) => {
  for (const [turned, wanted] of [
    [PRIVATE, 'refused'],
    [OTHER, 'there'],
  ] as const) {
    let requests = 0;
    const site = await serving(t, (request, response) => {
      requests += 1;
      ok(request, response);
    });
    const there = await serving(t, (_request, response) => void response.end('there'), turned, site.port);
    const outbound = anOutbound(t, { resolve: answering(['127.0.0.1'], ['127.0.0.1'], [turned]) });
    const request = { ...asked, url: `http://turning.example.com:${site.port}/` };
    t.equal(await textOf(outbound, request), 'ok');
    t.equal(await textOf(outbound, request), 'ok');
    t.equal(await textOf(outbound, request).catch(({ reason }) => reason), wanted);
    await until('the connection to be closed', () => site.open === 0, PROMPTLY_MS);
    t.match({ requests, connections: site.connections }, { requests: 2, connections: 1 });
    t.equal(there.connections, wanted === 'refused' ? 0 : 1);
  }
});

t.test('a deny list that grows closes the kept connection: nothing more is sent over it', async (t) => {
  let denied: string[] = [];
  let requests = 0;
  const site = await serving(t, (request, response) => {
    requests += 1;
    ok(request, response);
  });
  const outbound = anOutbound(t, { policy: () => policyOf(...denied), resolve: answering(['127.0.0.1']) });
  for (const entry of [SITE, '127.0.0.1/32']) {
    denied = [];
    const request = { ...asked, url: `http://${SITE}:${site.port}/` };
    await outbound.send(request);
    t.equal(site.open, 1);
    denied = [entry];
    const before = requests;
    t.equal((await failureOf(outbound, request)).reason, 'refused');
    await until('the connection to be closed', () => site.open === 0, PROMPTLY_MS);
    t.equal(requests, before, entry);
  }
});

t.test('a connection that the server closes while it is idle costs no delivery, and doubles none', async (t) => {
  const arrived: string[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    arrived.push(request.url ?? '');
    ok(request, response);
  });
  const site = await listen(t, server);
  const outbound = anOutbound(t);
  const sent = Array.from({ length: 20 }, (_, index) => `/${index}`);
  for (const path of sent) {
    t.equal(await textOf(outbound, { ...asked, url: `http://127.0.0.1:${site.port}${path}` }), 'ok');
    // the client has not read the end of the connection when the next request is made
    server.closeIdleConnections();
  }
  t.same(arrived, sent);
  t.ok(site.connections > 1, `${site.connections} connections`);
});

t.test(
  'a connection that the server has closed is not established again to an address of an earlier exchange',
  async (t) => {
    const sockets: Socket[] = [];
    const server = createTcpServer((socket) => {
      sockets.push(socket);
      inTurns([accept])(socket);
    });
    const site = await listen(t, server);
    const there = await serving(t, ok, OTHER, site.port);
    const outbound = anOutbound(t, { resolve: answering(['127.0.0.1', OTHER], ['127.0.0.1']) });
    const request = { ...asked, url: `http://${SITE}:${site.port}/` };
    await outbound.send(request);
    // after this turn of the event loop, the client reads the end of the connection before it writes a request
    await setImmediate();
    server.close();
    sockets[0]?.end();
    t.equal((await failureOf(outbound, request)).reason, 'unreachable');
    t.equal(there.connections, 0);
  },
);

t.test('a request that a kept connection takes without any response is sent once more, on a new one', async (t) => {
  const endings: Record<string, (socket: Socket) => void> = {
    'the end of the connection': (socket) => socket.end(),
    'a reset': (socket) => (socket instanceof TLSSocket ? socket.destroy() : socket.resetAndDestroy()),
  };
  for (const [name, end] of Object.entries(endings)) {
    for (const scheme of ['http', 'https']) {
      let requests = 0;
      const counted = (reply: (socket: Socket) => void) => (socket: Socket) => {
        requests += 1;
        reply(socket);
      };
      const onSocket = inTurns([counted(accept), counted(end)]);
      const server: Server = scheme === 'http' ? createTcpServer(onSocket) : createSecureServer(tls, onSocket);
      const site = await listen(t, server);
      const outbound = anOutbound(t, { resolve: answering(['127.0.0.1']), trustedCertificates: [pem('ca.pem')] });
      const request = { ...asked, url: `${scheme}://${SITE}:${site.port}/` };
      t.equal(await textOf(outbound, request), 'ok');
      t.equal(await textOf(outbound, request), 'ok', `${name}, ${scheme}`);
      t.match({ requests, connections: site.connections }, { requests: 3, connections: 2 }, `${name}, ${scheme}`);
    }
  }
});

t.test('a request is not sent again after a part of its response, on a new connection, or a second time', async (t) => {
  const half = (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-le');
  const end = (socket: Socket) => void socket.end();
  const cases = [
    { name: 'a part of the head', turns: [[accept, half]], connections: 1 },
    {
      name: 'a part of the body',
      turns: [[accept, (s: Socket) => void s.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok')]],
      connections: 1,
    },
    { name: 'a new connection', turns: [[accept, end], [end]], connections: 2 },
  ];
  for (const { name, turns, connections } of cases) {
    let count = 0;
    const server = createTcpServer((socket) => {
      inTurns(turns[count] ?? [])(socket);
      count += 1;
    });
    const site = await listen(t, server);
    const outbound = anOutbound(t);
    const request = { ...asked, url: `http://127.0.0.1:${site.port}/` };
    await outbound.send(request);
    t.match(await failureOf(outbound, request), { reason: 'protocol', mayHaveArrived: true }, name);
    t.equal(site.connections, connections, name);
  }
});

t.test(
  'a request that a kept connection lost may have arrived, although no new connection is established',
  async (t) => {
    const server = createTcpServer();
    server.on(
      'connection',
      inTurns([
        accept,
        (socket) => {
          server.close();
          socket.destroy();
        },
      ]),
    );
    const site = await listen(t, server);
    const outbound = anOutbound(t);
    const request = { ...asked, url: `http://127.0.0.1:${site.port}/` };
    await outbound.send(request);
    t.match(await failureOf(outbound, request), { reason: 'unreachable', mayHaveArrived: true });
  },
);

t.test('a server that asks for it, or states a short time, gets a new connection for each request', async (t) => {
  for (const headers of [{ connection: 'close' }, { connection: 'keep-alive', 'keep-alive': 'timeout=1' }]) {
    const site = await serving(t, (_request, response) => void response.writeHead(200, headers).end('ok'));
    const outbound = anOutbound(t);
    const request = { ...asked, url: `http://127.0.0.1:${site.port}/` };
    await outbound.send(request);
    await until('the connection to be closed', () => site.open === 0, PROMPTLY_MS);
    await outbound.send(request);
    t.equal(site.connections, 2);
    await until('nothing to be kept', () => outbound.keptConnections === 0);
  }
});

t.test('one deadline, and one limit of bytes, apply to each exchange of a kept connection', async (t) => {
  const clock = new FakeClock();
  const large = (socket: Socket) =>
    void socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n${'x'.repeat(60_000)}`);
  const many = Array.from({ length: 10 }, () => large);
  for (const [name, last] of Object.entries({ silence: () => {}, flood: floods('', interim) })) {
    const site = await listen(t, createTcpServer(inTurns([...many, last])));
    const outbound = anOutbound(t, { clock });
    const request = { ...asked, url: `http://127.0.0.1:${site.port}/` };
    for (const _ of many) t.match(await outbound.send(request), { isComplete: true });
    t.equal(site.connections, 1, 'bytes of earlier responses do not count');
    const failing = failureOf(outbound, request);
    if (name === 'silence') {
      await until('the request to be under way', () => outbound.keptConnections === 0);
      clock.advance(asked.deadlineMs);
      t.match(await failing, { reason: 'timeout', mayHaveArrived: true });
    } else t.match(await failing, { reason: 'protocol', message: /too many bytes/ });
    await until('the connection to be closed', () => site.open === 0, PROMPTLY_MS);
    t.match({ connections: site.connections, timers: clock.pendingTimers }, { connections: 1, timers: 0 });
  }
});

t.test('a response that is longer than is read, or comes without a request, ends the connection', async (t) => {
  const twice = (socket: Socket) => {
    accept(socket);
    accept(socket);
  };
  const cases = {
    twice,
    long: (socket: Socket) => void socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n${'x'.repeat(50)}`),
  };
  for (const [name, reply] of Object.entries(cases)) {
    const site = await listen(t, createTcpServer(inTurns([reply])));
    const outbound = anOutbound(t);
    const request = { ...asked, url: `http://127.0.0.1:${site.port}/`, maxResponseBytes: 40 };
    await outbound.send(request);
    await until('the connection to be closed', () => site.open === 0, PROMPTLY_MS);
    await outbound.send(request);
    t.equal(site.connections, 2, name);
  }
});

t.test(
  'kept connections are bounded for each origin and in all, are closed after some seconds, and at the end',
  async (t) => {
    const held: (() => void)[] = [];
    const sites = await Promise.all(
      Array.from({ length: 6 }, () =>
        serving(t, (request, response) => {
          request.resume();
          held.push(() => response.end('ok'));
        }),
      ),
    );
    const outbound = anOutbound(t);
    const open = () => sites.reduce((sum, site) => sum + site.open, 0);
    const fill = async (count: number, some = sites, by = outbound) => {
      const sending = some.flatMap((site) =>
        Array.from({ length: count }, (_, index) =>
          by.send({ ...asked, url: `http://127.0.0.1:${site.port}/`, keptFor: `wh_${index}` }),
        ),
      );
      await until('every request', () => held.length === sending.length);
      for (const reply of held.splice(0)) reply();
      await Promise.all(sending);
    };
    await fill(140, sites.slice(0, 1));
    t.equal(outbound.keptConnections, 128);
    outbound.closeKept();
    await fill(140);
    t.equal(outbound.keptConnections, 512);
    await until('the others to be closed', () => open() === 512, PROMPTLY_MS);
    for (const site of sites) t.ok(site.open <= 128, `${site.open} connections to one origin`);
    outbound.closeKept();
    await until('all to be closed', () => open() === 0, PROMPTLY_MS);
    const hasUsualTimes = new Outbound({ policy: () => policyOf(), userAgent: 'Vantage/test', clock: systemClock });
    t.teardown(() => hasUsualTimes.stop());
    await fill(2, sites, hasUsualTimes);
    await until('idle ones to be closed', () => open() === 0);
    t.equal(hasUsualTimes.keptConnections, 0);
    await fill(2);
    t.equal(open(), 12);
    outbound.stop();
    t.equal(outbound.keptConnections, 0);
    await until('all to be closed', () => open() === 0, PROMPTLY_MS);
  },
);
