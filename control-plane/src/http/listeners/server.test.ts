import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { aRoute, thingRoutes } from '../../../test/_support/http-routes.js';
import { startTestServer } from '../../../test/_support/http-server.js';
import { openSocket, parseAnswer, sendRaw } from '../../../test/_support/raw-http.js';
import { BODY_TIMEOUT_MS } from '../frame/body.js';

t.test('a body that stops coming is 408 and the connection is closed', async (t) => {
  const clock = new FakeClock();
  const { port } = await startTestServer(t, thingRoutes(), { clock });
  const half =
    'POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{"name":';
  const answer = sendRaw(port, half);
  await until('the body timer', () => clock.pendingTimers > 0);
  clock.advance(BODY_TIMEOUT_MS);
  const { status, headers, body } = await answer;
  t.equal(status, 408);
  t.equal(headers.get('connection'), 'close');
  t.match(JSON.parse(body), { error: { code: 'REQUEST_TIMEOUT' } });
});

t.test('headers that stop coming are 408 in the envelope', async (t) => {
  const { port } = await startTestServer(t, thingRoutes(), { timeouts: { headersMs: 100, requestMs: 200 } });
  const { status, headers, body } = await sendRaw(port, 'GET /v1/things/t_a HTTP/1.1\r\nHost: a\r\n');
  t.equal(status, 408);
  t.match(headers.get('x-request-id'), /^req_/);
  t.match(JSON.parse(body), { error: { code: 'REQUEST_TIMEOUT' } });
});

t.test('a caller that disconnects in the middle of its body is not a failure', async (t) => {
  const handled: never[] = [];
  const { port, log } = await startTestServer(t, thingRoutes(handled));
  const socket = await openSocket(port);
  socket.write('POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{');
  await new Promise(setImmediate);
  socket.destroy();
  await until('the line of the request', () => log.some(({ status }) => status === 499));
  t.strictSame(
    log.filter(({ level }) => level === 'error'),
    [],
  );
  t.strictSame(handled, []);
});

t.test('garbage after a request does not appear within its response', async (t) => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  async function* events() {
    yield { event: 'a', data: 1 };
    await released;
  }
  const stream = aRoute('/v1/stream', { replyKind: 'events', handle: async () => ({ status: 200, events: events() }) });
  const { port } = await startTestServer(t, [stream]);
  const socket = await openSocket(port);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  socket.write('GET /v1/stream HTTP/1.1\r\nHost: a\r\n\r\n');
  await until('the first event', () => received.includes('event: a'));
  socket.write('nonsense\r\n\r\n');
  await until('the connection to be closed', () => socket.closed);
  release();
  t.equal(received.split('HTTP/1.1 ').length, 2, 'one status line only');
});

t.test('stop() ends long polls with 503, lets running requests finish, and may be called twice', async (t) => {
  const entered: string[] = [];
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const polling = aRoute('/v1/polling', {
    handle: ({ signal }) => {
      entered.push('polling');
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  const working = aRoute('/v1/working', {
    handle: async () => {
      entered.push('working');
      await finished;
      return { status: 200, data: 'done' };
    },
  });
  const { server, port, log } = await startTestServer(t, [polling, working], { clock: new FakeClock() });
  const get = (path: string) => sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  const answers = Promise.all([get('/v1/polling'), get('/v1/working')]);
  await until('both handlers', () => entered.length === 2);
  const stopped = server.stop();
  finish();
  const [polled, worked] = await answers;
  t.equal(polled.status, 503);
  t.equal(polled.headers.get('retry-after'), '5');
  t.equal(worked.status, 200);
  t.equal(worked.headers.get('connection'), 'close');
  await stopped;
  await server.stop();
  await t.rejects(openSocket(port), { code: 'ECONNREFUSED' });
  t.strictSame(
    log.filter(({ level }) => level === 'error'),
    [],
  );
});

t.test('stop() cuts what does not end in time, and connections that never sent a request', async (t) => {
  const clock = new FakeClock();
  let isEntered = false;
  const stuck = aRoute('/v1/stuck', {
    handle: () => {
      isEntered = true;
      return new Promise(() => {});
    },
  });
  const { server, port } = await startTestServer(t, [stuck], { clock, timeouts: { stopMs: 1_000 } });
  const idle = await openSocket(port);
  const waiting = await openSocket(port);
  waiting.on('error', () => {}).write('GET /v1/stuck HTTP/1.1\r\nHost: a\r\n\r\n');
  await until('the handler', () => isEntered);
  const stopped = server.stop();
  await until('the unused connection to be closed', () => idle.destroyed || idle.readableEnded);
  t.equal(waiting.readableEnded, false);
  clock.advance(1_000);
  await stopped;
});

t.test(
  'after leave() stop() answers requests of open connections, accepts no new ones, and waits for nothing else',
  async (t) => {
    const clock = new FakeClock();
    const { server, port } = await startTestServer(t, thingRoutes(), { clock });
    const request = 'GET /v1/things/t_a HTTP/1.1\r\nHost: a\r\n\r\n';
    const open = async () => {
      const socket = await openSocket(port);
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk.toString();
      });
      const ask = async () => {
        received = '';
        socket.write(request);
        await until('an answer', () => parseAnswer(received) !== null);
        return parseAnswer(received);
      };
      return { socket, ask };
    };
    const [kept, fresh, silent] = [await open(), await open(), await open()];
    t.equal((await kept.ask())?.headers.get('connection'), 'keep-alive');
    server.leave();
    const stopped = server.stop();
    await until('new connections to be refused', () =>
      openSocket(port).then(
        (socket) => socket.destroy() && false,
        () => true,
      ),
    );
    for (const { ask } of [kept, fresh]) {
      const answer = await ask();
      t.equal(answer?.status, 200);
      t.equal(answer?.headers.get('connection'), 'close');
    }
    t.notOk(silent.socket.readableEnded);
    clock.advance(500);
    await stopped;
    await until('the last connection to be closed', () => silent.socket.destroyed);
  },
);

t.test('with a certificate the API is served over TLS, and bytes that are not TLS or HTTP affect no one', async (t) => {
  // made for this test: openssl req -x509 -newkey ec -days 36500 -subj /CN=localhost
  const read = (file: string) => readFileSync(new URL(`../../../../test/testdata/${file}`, import.meta.url), 'utf8');
  const tls = { cert: read('localhost.crt.pem'), key: read('localhost.key.pem') };
  const { server, port, log } = await startTestServer(t, thingRoutes(), { tls, clock: new FakeClock() });
  const plain = await openSocket(port);
  plain.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const ask = async (text: string) => {
    let received = '';
    const socket = connect({ port, host: '127.0.0.1', ca: tls.cert, servername: 'localhost' }, () =>
      socket.write(text),
    );
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    await until('an answer over TLS', () => parseAnswer(received) !== null);
    return parseAnswer(received)?.status;
  };
  t.equal(await ask('GET /v1/things/t_a HTTP/1.1\r\nHost: localhost\r\n\r\n'), 200);
  t.equal(await ask('nonsense\r\n\r\n'), 400);
  t.strictSame(
    log.filter(({ level }) => level === 'error'),
    [],
  );
  // the clock stands still: connections that are kept must not hold it up
  await server.stop();
});

t.test('start() reports why it cannot listen', async (t) => {
  const { port } = await startTestServer(t, []);
  await t.rejects(startTestServer(t, [], { port }), { code: 'EADDRINUSE' });
});

t.test('an offer to upgrade to anything but WebSocket is ignored, body and connection included', async (t) => {
  const upgrades: unknown[] = [];
  const { server, port } = await startTestServer(t, thingRoutes());
  server.server.on('upgrade', (request, socket) => {
    upgrades.push(request.headers.upgrade);
    socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
  });
  const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB\r\n';
  const post =
    `POST /v1/things HTTP/1.1\r\nHost: a\r\nX-Request-Id: with-a-body\r\n${offer}` +
    'Content-Type: application/json\r\nContent-Length: 12\r\n\r\n{"name":"x"}';
  const get = `GET /v1/things/t_a HTTP/1.1\r\nHost: a\r\nX-Request-Id: after-that\r\n${offer}\r\n`;
  const socket = await openSocket(port);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  socket.write(post);
  await until('the first answer', () => received.includes('"request_id":"with-a-body"'));
  socket.write(get);
  await until('the second answer', () => received.includes('"request_id":"after-that"'));
  socket.destroy();
  t.match(received, /^HTTP\/1\.1 201 .*"name":"x".*HTTP\/1\.1 200 /s);
  t.strictSame(upgrades, []);
  const webSocket = 'GET /link HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\n';
  t.equal((await sendRaw(port, webSocket)).status, 101);
  t.strictSame(upgrades, ['WebSocket']);
});

t.test('a connection is kept for the next request', async (t) => {
  const { port } = await startTestServer(t, thingRoutes());
  const socket = await openSocket(port);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  for (const id of ['first-request', 'second-request']) {
    received = '';
    socket.write(`GET /v1/things/t_a HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\n\r\n`);
    await until(id, () => parseAnswer(received) !== null);
    t.equal(parseAnswer(received)?.headers.get('x-request-id'), id);
  }
  socket.destroy();
});
