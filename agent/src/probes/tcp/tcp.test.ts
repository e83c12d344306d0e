import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { startSilentPort } from '../../../test/_support/deaf-server.js';
import { startDnsServer, zone } from '../../../test/_support/dns-server.js';
import { openSockets } from '../../../test/_support/open-resources.js';
import { aContext, aResolver, aSpec } from '../../../test/_support/probe-context.js';
import { startTcpServer, unusedPort } from '../../../test/_support/tcp-server.js';
import { ProbeFailure } from '../failure.js';
import { Banner } from './banner.js';
import { tcp } from './index.js';

const isResult = compileSchema(probeTypes.tcp.Result);

t.test('tcp connects as often as asked, one after another, and sends no byte', async (t) => {
  let most = 0;
  const server = await startTcpServer(t, () => {
    most = Math.max(most, server.open);
  });
  const result = await tcp.run(aSpec('tcp', `127.0.0.1:${server.port}`, { count: 4 }), aContext());
  t.match(result, {
    success: true,
    error: null,
    resolved_ip: '127.0.0.1',
    ip_version: 4,
    port: server.port,
    dns_ms: 0,
  });
  t.equal(result.attempts.length, 4);
  const times = result.attempts.map(({ connect_ms }) => connect_ms ?? Number.NaN);
  t.ok(Math.abs((result.connect_ms ?? 0) - times.reduce((a, b) => a + b) / 4) < 0.002, 'the mean of the attempts');
  t.notOk('banner' in result);
  t.ok(isResult(result).ok);
  await until('the server sees every connection closed', () => server.open === 0);
  t.equal(server.accepted, 4);
  t.equal(server.received.length, 0);
});

t.test('tcp takes the port from the target or from its parameter', async (t) => {
  const server = await startTcpServer(t, () => {}, '::1');
  t.match(await tcp.run(aSpec('tcp', `[::1]:${server.port}`), aContext()), {
    success: true,
    ip_version: 6,
    port: server.port,
  });
  t.match(await tcp.run(aSpec('tcp', '::1', { port: server.port }), aContext()), { success: true, port: server.port });
});

t.test('tcp reads a banner of at most 256 bytes, escaped', async (t) => {
  const ssh = await startTcpServer(t, (socket) => socket.write('SSH-2.0-x \\ \x1b[31m\x00ü\r\n'));
  const said = await tcp.run(aSpec('tcp', `127.0.0.1:${ssh.port}`, { banner: true, count: 2 }), aContext());
  t.equal(said.banner, 'SSH-2.0-x \\\\ \\x1b[31m\\x00\\xc3\\xbc\\r\\n');
  t.ok(isResult(said).ok);

  const flood = await startTcpServer(t, (socket) => socket.write('x'.repeat(100_000)));
  // the clock stands still: 256 bytes are enough to end the wait
  const stopped = aContext({ clock: new FakeClock() });
  const cut = await tcp.run(aSpec('tcp', `127.0.0.1:${flood.port}`, { banner: true }), stopped);
  t.equal(cut.banner, 'x'.repeat(256));

  const unasked = await tcp.run(aSpec('tcp', `127.0.0.1:${ssh.port}`), aContext());
  t.notOk('banner' in unasked);
  await until('the connections are closed', () => ssh.open + flood.open === 0);
  t.equal(ssh.received.length + flood.received.length, 0);
});

t.test('tcp holds no more than 256 bytes of a banner, in whatever pieces it comes', async (t) => {
  const large = new Banner();
  t.ok(large.add(Buffer.alloc(65_536, 'x')));
  t.ok(large.add(Buffer.alloc(65_536, 'y')), 'nor of what comes behind');
  t.equal(large.bytes.toString(), 'x'.repeat(256));
  t.equal(large.bytes.buffer.byteLength, 256, 'nor does it hold on to the piece');
  const small = new Banner();
  for (let i = 0; i < 255; i += 1) t.notOk(small.add(Buffer.from('x')));
  t.ok(small.add(Buffer.from('xyz')));
  t.equal(small.bytes.toString(), 'x'.repeat(256));
  const line = new Banner();
  t.ok(line.add(Buffer.from('SSH-2.0-x\r\nmore')));
  t.equal(line.bytes.toString(), 'SSH-2.0-x\r\nmore');
});

t.test('tcp waits a second for a banner, and is content without one', async (t) => {
  const clock = new FakeClock();
  const mute = await startTcpServer(t, () => {});
  const running = tcp.run(aSpec('tcp', `127.0.0.1:${mute.port}`, { banner: true }), aContext({ clock }));
  await until('the banner is waited for', () => mute.accepted === 1 && clock.pendingTimers === 1);
  clock.advance(1000);
  const result = await running;
  t.match(result, { success: true });
  t.notOk('banner' in result);

  const closing = await startTcpServer(t, (socket) => socket.end());
  t.match(
    await tcp.run(aSpec('tcp', `127.0.0.1:${closing.port}`, { banner: true }), aContext()),
    { success: true },
    'a server that closes',
  );
  const resetting = await startTcpServer(t, (socket) => socket.resetAndDestroy());
  const reset = await tcp.run(aSpec('tcp', `127.0.0.1:${resetting.port}`, { banner: true }), aContext());
  // the kernel may report the reset before it reports the connection
  t.ok(reset.success || reset.error?.code === 'tcp_reset', 'a server that resets');
});

t.test('tcp reports why it could not connect', async (t) => {
  const port = await unusedPort();
  const refused = await tcp.run(aSpec('tcp', `127.0.0.1:${port}`, { count: 2 }), aContext());
  t.match(refused, { success: false, error: { code: 'tcp_refused' }, resolved_ip: '127.0.0.1', connect_ms: null });
  t.strictSame(refused.attempts, [
    { connect_ms: null, error: 'tcp_refused' },
    { connect_ms: null, error: 'tcp_refused' },
  ]);
  const dns = await startDnsServer(t, zone([{ type: 'A', name: 'private.example.com', data: '10.0.0.1' }]));
  const context = aContext({ resolver: aResolver([dns.endpoint]) });
  t.match(await tcp.run(aSpec('tcp', 'private.example.com:80'), context), {
    error: { code: 'target_not_allowed' },
    attempts: [],
  });
  const unknown = await tcp.run(aSpec('tcp', 'none.example.com:80'), context);
  t.match(unknown, { success: false, error: { code: 'dns_nxdomain' }, resolved_ip: null, dns_ms: null, attempts: [] });
  t.ok(isResult(unknown).ok);
});

t.test('tcp counts one connect of several as a success', async (t) => {
  const server = await startTcpServer(t, () => server.stop());
  const result = await tcp.run(aSpec('tcp', `127.0.0.1:${server.port}`, { count: 10 }), aContext());
  t.match(result, { success: true, error: null });
  t.ok(result.attempts.some(({ error }) => error === 'tcp_refused'));
});

t.test('tcp stays with the address that answered first', async (t) => {
  const first = await startTcpServer(t, () => first.stop(), '127.0.0.1');
  const second = await startTcpServer(t, () => {}, '127.0.0.2', first.port);
  const dns = await startDnsServer(
    t,
    zone([
      { type: 'A', name: 'site.example.com', data: '127.0.0.1' },
      { type: 'A', name: 'site.example.com', data: '127.0.0.2' },
    ]),
  );
  const context = aContext({ resolver: aResolver([dns.endpoint]) });
  const result = await tcp.run(aSpec('tcp', `site.example.com:${first.port}`, { count: 10 }), context);
  t.match(result, { success: true, resolved_ip: '127.0.0.1' });
  t.equal(second.accepted, 0);
  t.equal(dns.queries.filter(({ type }) => type === 'A').length, 1, 'one resolution for all attempts');
});

t.test('tcp limits each attempt, and ends at once when it is cancelled', async (t) => {
  const port = await startSilentPort(t);
  const clock = new FakeClock();
  const before = openSockets();
  const running = tcp.run(aSpec('tcp', `127.0.0.1:${port}`, { count: 2, timeout_ms: 700 }), aContext({ clock }));
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await until('an attempt has begun', () => openSockets() > before && clock.pendingTimers === 1);
    clock.advance(700);
  }
  const result = await running;
  t.match(result, { success: false, error: { code: 'tcp_timeout' } });
  t.equal(result.attempts.length, 2);

  const abort = new AbortController();
  const cancelled = tcp.run(aSpec('tcp', `127.0.0.1:${port}`, { count: 10 }), aContext({ signal: abort.signal }));
  await until('an attempt has begun', () => openSockets() > before);
  abort.abort(new ProbeFailure('cancelled', 'called off'));
  const partial = await cancelled;
  t.match(partial, { success: false, error: { code: 'cancelled' } });
  t.equal(partial.attempts.length, 1);
  t.ok(isResult(partial).ok);
  await until('no socket is left', () => openSockets() <= before);
});
