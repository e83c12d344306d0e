import { connect, type Socket } from 'node:net';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { agentResultSchema } from '@vantage/shared/probe-types/node-result.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { tlsIdentity } from '../../../test/_support/certificates.js';
import { openSockets } from '../../../test/_support/open-resources.js';
import { aContext, aSpec } from '../../../test/_support/probe-context.js';
import { audit, serveCertificate } from '../../../test/_support/ssl-probe.js';
import { startTcpServer, unusedPort } from '../../../test/_support/tcp-server.js';
import { ProbeFailure } from '../failure.js';
import { SslEngine } from './index.js';

const identity = { ...tlsIdentity('good'), certFile: '', keyFile: '' };
const isResult = compileSchema(agentResultSchema('ssl'));
const runFields = { started_at: '2026-01-01T00:00:00.000Z', duration_ms: 1, disturbed: false, loop_lag_ms: 0 };

/** Passes bytes on to a port of loopback, and back from when the returned function is called. */
function relayHeld(socket: Socket, port: number): () => void {
  const upstream = connect(port, '127.0.0.1').on('error', () => socket.destroy());
  socket.pipe(upstream);
  socket.on('close', () => upstream.destroy());
  return () => upstream.pipe(socket);
}

/** Passes bytes on to a port of loopback and back. */
function relay(socket: Socket, port: number): void {
  relayHeld(socket, port)();
}

interface HostileCase {
  readonly name: string;
  readonly serve: (socket: Socket) => void;
  readonly code: string;
  readonly message: RegExp;
}

const cases: readonly HostileCase[] = [
  {
    name: 'plain HTTP',
    serve: (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    code: 'tls_handshake',
    message: /wrong version number/,
  },
  {
    name: 'an alert',
    serve: (socket) => socket.once('data', () => socket.end(Buffer.from([21, 3, 1, 0, 2, 2, 40]))),
    code: 'tls_handshake',
    message: /handshake failure/,
  },
  {
    name: 'a reset after the hello',
    serve: (socket) => socket.once('data', () => socket.resetAndDestroy()),
    code: 'tcp_reset',
    message: /ECONNRESET/,
  },
  {
    name: 'the end after the hello',
    serve: (socket) => socket.once('data', () => socket.end()),
    code: 'tls_handshake',
    message: /closed/,
  },
  {
    name: 'a record that says it is longer',
    serve: (socket) => socket.once('data', () => socket.end(Buffer.from([22, 3, 3, 0xff, 0xff, 2, 0, 0, 4]))),
    code: 'tls_handshake',
    message: /./,
  },
  {
    name: 'alerts that are only warnings, without end',
    serve: (socket) => {
      const warning = Buffer.alloc(7 * 1000, Buffer.from([21, 3, 1, 0, 2, 1, 112]));
      const flood = () => void (socket.writable && socket.write(warning, flood));
      socket.once('data', flood);
    },
    code: 'tls_handshake',
    message: /./,
  },
];

for (const { name, serve, code, message } of cases) {
  t.test(`ssl survives a server that answers ${name}`, async (t) => {
    const before = openSockets();
    const server = await startTcpServer(t, serve);
    const result = await audit(server.port, identity.cert);
    t.match(result, { success: false, error: { code, message }, grade: null, resolved_ip: '127.0.0.1' });
    t.ok(isResult({ ...result, ...runFields }).ok);
    t.equal(result.tls_versions.filter(({ supported }) => supported === false).length, 5, 'each version was refused');
    await until('no socket is left', () => server.open === 0 && openSockets() <= before + 1);
  });
}

t.test('ssl gives up a server that takes connections and says nothing, at the limit of one connection', async (t) => {
  const server = await startTcpServer(t, () => {});
  const clock = new FakeClock();
  const spec = aSpec('ssl', `127.0.0.1:${server.port}`);
  const running = new SslEngine().run(spec, aContext({ clock }));
  await until('the hello', () => server.received.length > 0);
  clock.advance(5000);
  t.match(await running, { success: false, error: { code: 'timeout' }, grade: null });
  t.equal(server.accepted, 1, 'it is not asked again');
  t.equal(clock.pendingTimers, 0);
});

t.test('ssl keeps what it has when its time is over', async (t) => {
  const clock = new FakeClock();
  clock.advance(Date.parse('2026-06-01T00:00:00Z') - clock.now());
  const port = await serveCertificate(t, identity);
  let connections = 0;
  const silentAfterFirst = await startTcpServer(t, (socket) => {
    connections += 1;
    if (connections === 1) relay(socket, port);
  });
  const spec = aSpec('ssl', `127.0.0.1:${silentAfterFirst.port}`, {
    server_name: 'site.example.com',
    timeout_ms: 4000,
  });
  const running = new SslEngine().run(spec, aContext({ clock }));
  await until('the other versions are tried', () => connections === 4);
  clock.advance(4000);
  const result = await running;
  t.match(result, { success: true, protocol: 'TLSv1.3', subject: 'CN=site.example.com' });
  t.ok(result.warnings.includes('incomplete_audit'));
  t.equal(clock.pendingTimers, 0);
});

t.test('a cancelled ssl probe has failed, and still reports what it measured', async (t) => {
  const port = await serveCertificate(t, identity);
  let connections = 0;
  const silentAfterFirst = await startTcpServer(t, (socket) => {
    connections += 1;
    if (connections === 1) relay(socket, port);
  });
  const abort = new AbortController();
  const spec = aSpec('ssl', `127.0.0.1:${silentAfterFirst.port}`);
  const running = new SslEngine().run(spec, aContext({ signal: abort.signal }));
  await until('the other versions are tried', () => connections === 4);
  abort.abort(new ProbeFailure('cancelled', 'called off'));
  t.match(await running, { success: false, error: { code: 'cancelled' }, subject: 'CN=site.example.com' });
});

t.test('ssl never has more than three connections open', async (t) => {
  const port = await serveCertificate(t, identity);
  const waiting: (() => void)[] = [];
  let witnesses = 0;
  const server = await startTcpServer(t, (socket) => {
    if (socket.remoteAddress === '127.0.0.9') witnesses += 1;
    else waiting.push(relayHeld(socket, port));
  });
  /** Connections are accepted in order: once this one is, all that were begun before it are known. */
  const witness = async () => {
    const before = witnesses;
    const socket = connect({ port: server.port, host: '127.0.0.1', localAddress: '127.0.0.9' });
    await until('the witness is accepted', () => witnesses > before);
    socket.destroy();
  };
  let isOver = false;
  const running = audit(server.port, identity.cert, { clock: new FakeClock() }).finally(() => {
    isOver = true;
  });
  await until('the first one', () => waiting.length === 1);
  waiting.shift()?.();
  await until('three at once', () => waiting.length === 3);
  while (!isOver) {
    await witness();
    if (waiting.length > 3) break;
    waiting.shift()?.();
  }
  t.ok(waiting.length <= 3, `${waiting.length} at once`);
  t.match(await running, { success: true });
});

t.test('ssl reads 16 certificates, and a chain beyond 100 KB is no handshake', async (t) => {
  const many = (count: number) => Array.from({ length: count }, () => identity);
  const cut = await audit(await serveCertificate(t, identity, { chain: many(29) }), identity.cert);
  t.equal(cut.chain.length, 16);
  const endless = await audit(await serveCertificate(t, identity, { chain: many(400) }), identity.cert);
  t.match(endless, { success: false, error: { code: 'tls_handshake', message: /excessive message size/ } });
});

t.test('ssl reports the outcome of the connection', async (t) => {
  const port = await unusedPort();
  t.match(await audit(port, identity.cert), { success: false, error: { code: 'tcp_refused' }, port, tls_versions: [] });
});
