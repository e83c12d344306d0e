import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { thingRoutes } from './_support/http-routes.js';
import { startTestServer, type TestServer, type TestServerOptions } from './_support/http-server.js';
import { openSocket, parseAnswer } from './_support/raw-http.js';
import { seededRandom } from './_support/seeded-random.js';
import { within } from './_support/within.js';

// Attacks of a stranger on a listener with TLS before, and instead of, a handshake.

const read = (name: string) => readFileSync(new URL(`../../test/testdata/${name}`, import.meta.url), 'utf8');
const certificate = { cert: read('localhost.crt.pem'), key: read('localhost.key.pem') };
const REQUEST = 'GET /v1/things/t_a HTTP/1.1\r\nHost: localhost\r\n\r\n';

function startTls(t: Test, options: TestServerOptions = {}): Promise<TestServer> {
  return startTestServer(t, thingRoutes(), { tls: certificate, ...options });
}

function dial(t: Test, port: number, options: ConnectionOptions = {}): TLSSocket {
  const socket = tlsConnect({ port, host: '127.0.0.1', servername: 'localhost', ca: certificate.cert, ...options });
  t.teardown(() => socket.destroy());
  return socket.on('error', () => {});
}

/** Status of an honest request over a connection of its own. */
async function statusOf(t: Test, port: number, options: ConnectionOptions = {}): Promise<number | undefined> {
  const socket = dial(t, port, options);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  socket.write(REQUEST);
  await until('a response over TLS', () => parseAnswer(received) !== null);
  socket.destroy();
  return parseAnswer(received)?.status;
}

/** First bytes of an honest client. */
async function clientHello(): Promise<Buffer> {
  const listener = createServer();
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const client = tlsConnect({
    port: (listener.address() as { port: number }).port,
    host: '127.0.0.1',
    servername: 'x',
  });
  client.on('error', () => {});
  const [socket] = (await once(listener, 'connection')) as [Socket];
  const [hello] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  listener.close();
  return hello;
}

async function open(t: Test, port: number): Promise<Socket> {
  const socket = await openSocket(port);
  socket.on('error', () => {}).resume();
  t.teardown(() => socket.destroy());
  return socket;
}

t.test('a handshake has the same time limit as headers, however it is delayed', async (t) => {
  const { port } = await startTls(t, { timeouts: { headersMs: 500 } });
  const hello = await clientHello();
  const begun: Readonly<Record<string, Buffer>> = {
    'says nothing': Buffer.alloc(0),
    'sends the first byte': hello.subarray(0, 1),
    'announces a record and sends none': hello.subarray(0, 5),
    'sends half a hello': hello.subarray(0, hello.length / 2),
    'sends a hello and leaves it there': hello,
  };
  const peers = await Promise.all(
    Object.entries(begun).map(async ([name, bytes]) => {
      const socket = await open(t, port);
      socket.write(bytes);
      return { name, socket };
    }),
  );
  const slow = await open(t, port);
  let sent = 0;
  const timer = setInterval(() => {
    slow.write(hello.subarray(sent, sent + 1));
    sent += 1;
  }, 100);
  t.teardown(() => clearInterval(timer));
  for (const { name, socket } of [...peers, { name: 'sends a byte now and then', socket: slow }]) {
    await until(`the peer that ${name} to be cut off`, () => socket.destroyed);
    t.pass(name);
  }
  t.ok(sent < hello.length, `${sent} of ${hello.length} bytes`);
  t.equal(await statusOf(t, port), 200);
});

t.test('stop() closes connections with an unfinished handshake, and waits for none of them', async (t) => {
  const { server, port } = await startTls(t, { clock: new FakeClock() });
  const hello = await clientHello();
  const peers = await Promise.all(Array.from({ length: 100 }, () => open(t, port)));
  for (const [index, peer] of peers.entries()) peer.write(hello.subarray(0, index % 3 === 0 ? 0 : index));
  const unused = dial(t, port);
  await once(unused, 'secureConnect');
  await within('stop()', server.stop());
  await until('all to be closed', () => peers.every(({ destroyed }) => destroyed) && unused.destroyed);
  t.pass('although the clock stands still');
});

t.test('bytes that are not a handshake are refused at once, and other connections are unaffected', async (t) => {
  const { port, log } = await startTls(t);
  const hello = await clientHello();
  const random = seededRandom(7);
  const below = (limit: number) => Math.floor(random() * limit);
  const bytes = (length: number) => Buffer.from(Array.from({ length }, () => below(256)));
  const flipped = Array.from({ length: hello.length }, (_, at) => {
    const copy = Buffer.from(hello);
    copy[at] = (copy[at] as number) ^ (1 + below(255));
    return copy;
  });
  const cut = Array.from({ length: hello.length }, (_, at) => hello.subarray(0, at));
  const record = (type: number, body: Buffer) =>
    Buffer.concat([Buffer.from([type, 3, 1, body.length >> 8, body.length & 255]), body]);
  const huge = Buffer.concat([Buffer.from([1, 255, 255, 255]), Buffer.alloc(16_000)]);
  const odd = [
    Buffer.from(REQUEST),
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    Buffer.from('PROXY TCP4 198.51.100.1 198.51.100.2 1 2\r\n'),
    Buffer.from('SSH-2.0-x\r\n'),
    // a hello of SSL 2, one record of each type before any hello, a heartbeat that asks for more than it sends
    Buffer.from([0x80, 0x2e, 1, 0, 2, 0, 0x15, 0, 0, 0, 0x10, ...Array.from({ length: 40 }, () => 1)]),
    ...Array.from({ length: 256 }, (_, type) => record(type, bytes(20))),
    record(24, Buffer.from([1, 0x40, 0])),
    Buffer.concat([Buffer.from([22, 3, 1, 255, 255]), Buffer.alloc(70_000)]),
    Buffer.concat(Array.from({ length: 20 }, () => record(22, huge.subarray(0, 16_000)))),
    Buffer.concat(Array.from({ length: 2_000 }, () => record(22, Buffer.alloc(0)))),
    ...Array.from({ length: 100 }, () => bytes(1 + below(600))),
  ];
  const all = [...cut, ...flipped, ...odd];
  for (let from = 0; from < all.length; from += 50) {
    await Promise.all(
      all.slice(from, from + 50).map(async (first) => {
        const socket = await open(t, port);
        socket.end(first);
        await within('a connection to be closed', once(socket, 'close'));
      }),
    );
  }
  t.comment(`${all.length} connections`);
  t.equal(await statusOf(t, port), 200);
  t.strictSame(
    log.filter(({ level }) => level === 'error'),
    [],
  );
});

t.test('old versions, weak ciphers, other protocols and a second handshake are refused', async (t) => {
  const { port } = await startTls(t);
  const outcome = async (options: ConnectionOptions) => {
    const socket = tlsConnect({ port, host: '127.0.0.1', servername: 'localhost', ca: certificate.cert, ...options });
    t.teardown(() => socket.destroy());
    return Promise.race([
      once(socket, 'secureConnect').then(() => socket.getProtocol()),
      once(socket, 'error').then(([error]) => (error as NodeJS.ErrnoException).code),
    ]).catch((error: NodeJS.ErrnoException) => error.code);
  };
  for (const version of ['TLSv1', 'TLSv1.1'] as const) {
    const weak = { minVersion: version, maxVersion: version, ciphers: 'ALL:@SECLEVEL=0' };
    t.match(await outcome(weak), /PROTOCOL_VERSION/, version);
  }
  const old = { maxVersion: 'TLSv1.2' as const };
  for (const ciphers of ['aNULL', 'eNULL', 'RC4', '3DES', 'PSK', 'CAMELLIA', 'MD5', 'EXPORT']) {
    const result = await outcome({ ...old, ciphers: `${ciphers}:@SECLEVEL=0` }).catch((error) => error.code);
    t.notMatch(result, /^TLSv/, ciphers);
  }
  t.equal(await outcome(old), 'TLSv1.2');
  t.equal(await outcome({}), 'TLSv1.3');
  t.match(await outcome({ ALPNProtocols: ['h2'] }), /NO_APPLICATION_PROTOCOL/);
  t.equal(await statusOf(t, port, { ALPNProtocols: ['h2', 'http/1.1'] }), 200);
  for (const servername of ['', 'x'.repeat(250), 'xn--a', 'a..b', '*'])
    t.equal(await statusOf(t, port, { servername, rejectUnauthorized: false }), 200, `SNI "${servername.slice(0, 9)}"`);
  const again = dial(t, port, old);
  await once(again, 'secureConnect');
  const error = await new Promise((resolve) => {
    again.once('error', resolve).once('close', resolve);
    again.renegotiate({}, (failure) => resolve(failure));
  });
  t.ok(error, 'no second handshake over a connection');
  t.equal(await statusOf(t, port), 200);
});

t.test('plain HTTP to a port with TLS, and TLS to one without, end at once', async (t) => {
  const secure = await startTls(t);
  const plain = await startTestServer(t, thingRoutes());
  const bare = connect(secure.port, '127.0.0.1').on('error', () => {});
  bare.resume().write(REQUEST);
  await within('the plain request to end', new Promise((resolve) => bare.once('close', resolve)));
  const wrapped = dial(t, plain.port);
  await within('the handshake to fail', new Promise((resolve) => wrapped.once('close', resolve)));
  t.equal(wrapped.getProtocol(), null);
  const { status } = await fetch(`${plain.url}/v1/things/t_a`);
  t.equal(status, 200);
});
