import { createSocket } from 'node:dgram';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { startDnsServer, zone } from '../../../test/_support/dns-server.js';
import { type NtpAnswer, ntpPacket, ntpTimestamp, startNtpServer } from '../../../test/_support/ntp-server.js';
import { openSockets } from '../../../test/_support/open-resources.js';
import { aContext, aResolver, aSpec } from '../../../test/_support/probe-context.js';
import { ProbeFailure } from '../failure.js';
import { ntp } from './index.js';

const isResult = compileSchema(probeTypes.ntp.Result);
const second = 1n << 32n;
const rate: NtpAnswer = { stratum: 0, leap: 3, referenceId: Buffer.from('RATE') };

t.test('ntp reports the state of the server, and the offset between the clocks', async (t) => {
  // a server whose clock is 90 seconds ahead
  const server = await startNtpServer(t, (request) => {
    const now = ntpTimestamp(performance.timeOrigin + performance.now()) + 90n * second;
    return [ntpPacket(request, { receivedAt: now, sentAt: now })];
  });
  const result = await ntp.run(aSpec('ntp', `127.0.0.1:${server.port}`, { count: 1 }), aContext());
  t.match(result, {
    success: true,
    error: null,
    resolved_ip: '127.0.0.1',
    ip_version: 4,
    packets_sent: 1,
    packets_received: 1,
    stratum: 2,
    refid: '192.0.2.1',
    refid_hex: 'C0000201',
    leap: 'none',
    root_delay_ms: 500,
    root_dispersion_ms: 250,
    precision: -23,
    poll: 6,
    version: 4,
    jitter_ms: null,
  });
  const error = result.offset_error_ms ?? Number.NaN;
  // the server of the test takes its time from a clock that was read when it started, and may have been slewed since
  t.ok(Math.abs((result.offset_ms ?? 0) - 90_000) <= error + 20, `${result.offset_ms} is 90 s within ${error} ms`);
  t.ok(error >= (result.delay_ms ?? 0) / 2, 'half the delay is not known');
  t.ok(isResult(result).ok);
});

t.test('ntp sends the server nothing but a random number', async (t) => {
  const server = await startNtpServer(t);
  const spec = aSpec('ntp', `127.0.0.1:${server.port}`, { count: 1 });
  await ntp.run(spec, aContext());
  await ntp.run(spec, aContext());
  const [first, second] = server.requests;
  t.equal(first?.length, 48);
  t.equal(first?.readUInt8(0), 0x23, 'version 4, client');
  t.equal(first?.toString('hex', 1, 40), '0'.repeat(78), 'no time, poll or precision of the node');
  t.not(first?.toString('hex', 40), '0'.repeat(16));
  t.not(first?.toString('hex', 40), second?.toString('hex', 40));
});

t.test('ntp sends requests at its interval, uses the fastest reply and reports the jitter', async (t) => {
  const clock = new FakeClock();
  const shifts = [0n, second, -second, second / 2n];
  const server = await startNtpServer(t, (request) => {
    const at = ntpTimestamp(Date.UTC(2026, 0, 1)) + (shifts[server.requests.length - 1] ?? 0n);
    return [ntpPacket(request, { receivedAt: at, sentAt: at })];
  });
  const running = ntp.run(
    aSpec('ntp', `127.0.0.1:${server.port}`, { count: 4, interval_ms: 1000 }),
    aContext({ clock }),
  );
  for (let sent = 1; sent <= 4; sent += 1) {
    // the timer of the next request is all that is left of an answered one
    await until(`request ${sent}`, () => server.requests.length === sent && clock.pendingTimers <= 1);
    if (sent === 4) break;
    clock.advance(999);
    t.equal(server.requests.length, sent, 'not before its time');
    clock.setWall(Date.UTC(2026, 0, 1));
    clock.advance(1);
  }
  const result = await running;
  t.match(result, { success: true, packets_sent: 4, packets_received: 4, delay_ms: 0 });
  t.equal(result.samples.length, 4);
  t.equal(clock.pendingTimers, 0);
  t.ok(isResult(result).ok);
  const [first, ...others] = result.samples.map(({ offset_ms }) => offset_ms ?? 0);
  t.equal(result.offset_ms, first, 'the first of equals');
  const squares = others.reduce((sum, offset) => sum + (offset - (first ?? 0)) ** 2, 0);
  t.ok(Math.abs((result.jitter_ms ?? 0) - Math.sqrt(squares / 3)) < 0.01);
});

t.test('ntp ends with the code of a kiss-o’-death, and sends nothing more', async (t) => {
  for (const code of ['RATE', 'DENY', 'RSTR', 'X']) {
    const referenceId = Buffer.alloc(4);
    referenceId.write(code);
    const server = await startNtpServer(t, (request) => [ntpPacket(request, { stratum: 0, leap: 3, referenceId })]);
    const result = await ntp.run(aSpec('ntp', `127.0.0.1:${server.port}`, { count: 8 }), aContext());
    t.match(result, {
      success: false,
      error: { code: 'ntp_kod', message: `the time server replied with the kiss code ${code}` },
      packets_sent: 1,
      packets_received: 1,
      stratum: 16,
      refid: code,
      leap: 'unsynchronised',
      offset_ms: null,
    });
    t.ok(isResult(result).ok);
    t.equal(server.requests.length, 1);
  }
});

t.test('ntp keeps the time that a server gave before it asked to stop', async (t) => {
  const server = await startNtpServer(t, (request) =>
    server.requests.length < 3 ? [ntpPacket(request)] : [ntpPacket(request, rate)],
  );
  const clock = new FakeClock();
  const running = ntp.run(
    aSpec('ntp', `127.0.0.1:${server.port}`, { count: 8, interval_ms: 1000 }),
    aContext({ clock }),
  );
  for (let sent = 1; sent < 3; sent += 1) {
    await until(`request ${sent}`, () => server.requests.length === sent && clock.pendingTimers <= 1);
    clock.advance(1000);
  }
  const result = await running;
  t.equal(clock.pendingTimers, 0);
  t.match(result, {
    success: true,
    error: null,
    packets_sent: 3,
    packets_received: 3,
    stratum: 2,
    refid: '192.0.2.1',
    kiss_code: 'RATE',
    samples: [{ offset_ms: Number }, { offset_ms: Number }, { offset_ms: null }],
  });
  t.type(result.offset_ms, 'number');
  t.ok(isResult(result).ok);
  t.equal(server.requests.length, 3, 'nothing more is sent');
});

t.test('ntp takes replies to earlier requests after a server asked to stop', async (t) => {
  const clock = new FakeClock();
  const server = await startNtpServer(t, (request) => {
    const first = server.requests[0];
    if (server.requests.length < 2 || first === undefined) return [];
    return [ntpPacket(request, rate), ntpPacket(first)];
  });
  const spec = aSpec('ntp', `127.0.0.1:${server.port}`, { count: 8, interval_ms: 1000, timeout_ms: 2000 });
  const running = ntp.run(spec, aContext({ clock }));
  await until('the first request', () => server.requests.length === 1 && clock.pendingTimers === 2);
  clock.advance(1000);
  t.match(await running, { success: true, packets_sent: 2, packets_received: 2, kiss_code: 'RATE' });
  t.equal(clock.pendingTimers, 0);
});

t.test('ntp does not take a server that is not synchronised for one with time', async (t) => {
  const cases: readonly NtpAnswer[] = [
    { leap: 3, stratum: 0, referenceId: Buffer.alloc(4), receivedAt: 0n, sentAt: 0n },
    { leap: 3, stratum: 2 },
    { stratum: 16 },
    { stratum: 255 },
  ];
  for (const answer of cases) {
    const server = await startNtpServer(t, (request) => [ntpPacket(request, answer)]);
    const result = await ntp.run(aSpec('ntp', `127.0.0.1:${server.port}`, { count: 2 }), aContext());
    t.match(result, { success: false, error: { code: 'ntp_kod', message: /not synchronised/ }, packets_sent: 1 });
    t.equal(result.offset_ms === null, answer.sentAt === 0n, 'what was measured is kept');
    t.ok(isResult(result).ok);
  }
});

t.test('ntp ignores packets that do not reply to its request, until the reply arrives', async (t) => {
  const lies = (request: Buffer) => [
    ntpPacket(request, { origin: request.readBigUInt64BE(40) ^ 1n }),
    ntpPacket(request, { origin: 0n }),
    ntpPacket(request, { origin: 0n, stratum: 0, referenceId: Buffer.from('RATE') }),
    ntpPacket(request, { mode: 3 }),
    ntpPacket(request, { mode: 5 }),
    ntpPacket(request, { version: 0 }),
    ntpPacket(request, { sentAt: 0n }),
    ntpPacket(request, { receivedAt: 0n }),
    ntpPacket(request, { receivedAt: second * 10n, sentAt: second * 9n }),
    ntpPacket(request).subarray(0, 47),
    Buffer.alloc(0),
    Buffer.alloc(65_000),
    request,
  ];
  const honest = await startNtpServer(t, (request) => [...lies(request), ntpPacket(request), ntpPacket(request)]);
  const result = await ntp.run(aSpec('ntp', `127.0.0.1:${honest.port}`, { count: 1 }), aContext());
  t.match(result, { success: true, packets_received: 1, stratum: 2 });

  const clock = new FakeClock();
  const liar = await startNtpServer(t, lies);
  const running = ntp.run(aSpec('ntp', `127.0.0.1:${liar.port}`, { count: 1 }), aContext({ clock }));
  await until('the lies are told', () => liar.requests.length === 1);
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(clock.pendingTimers, 1, 'it still waits');
  clock.advance(5000);
  const failed = await running;
  t.match(failed, { success: false, error: { code: 'no_reply' }, packets_sent: 1, packets_received: 0, stratum: null });
  t.strictSame(failed.samples, [{ offset_ms: null, delay_ms: null }]);
  t.ok(isResult(failed).ok);
});

t.test('ntp takes extension fields and a digest behind the header for what they are', async (t) => {
  const server = await startNtpServer(t, (request) => [Buffer.concat([ntpPacket(request), Buffer.alloc(20)])]);
  t.match(await ntp.run(aSpec('ntp', `127.0.0.1:${server.port}`, { count: 1 }), aContext()), { success: true });
});

t.test('ntp never believes an answer from another address or port', async (t) => {
  const stranger = createSocket('udp4');
  await new Promise<void>((resolve) => stranger.bind(0, '127.0.0.1', resolve));
  t.teardown(() => stranger.close());
  const server = createSocket('udp4');
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  let asked = 0;
  server.on('message', (request, from) => {
    asked += 1;
    stranger.send(ntpPacket(request), from.port, from.address);
  });
  const clock = new FakeClock();
  const running = ntp.run(aSpec('ntp', `127.0.0.1:${server.address().port}`, { count: 1 }), aContext({ clock }));
  await until('it is asked', () => asked === 1);
  clock.advance(5000);
  t.match(await running, { success: false, error: { code: 'no_reply' } });
});

t.test('ntp reports a closed port', async (t) => {
  const gone = createSocket('udp4');
  await new Promise<void>((resolve) => gone.bind(0, '127.0.0.1', resolve));
  const { port } = gone.address();
  await new Promise<void>((resolve) => gone.close(resolve));
  const result = await ntp.run(aSpec('ntp', `127.0.0.1:${port}`, { count: 3 }), aContext());
  t.match(result, { success: false, error: { code: 'no_reply', message: /no service listens/ }, packets_sent: 1 });
  const dns = await startDnsServer(t, zone([{ type: 'A', name: 'private.example.com', data: '10.0.0.1' }]));
  const context = aContext({ resolver: aResolver([dns.endpoint]) });
  t.match(await ntp.run(aSpec('ntp', 'private.example.com'), context), {
    error: { code: 'target_not_allowed' },
    packets_sent: 0,
  });
});

t.test('ntp keeps the answers it has when it is cancelled, and leaves nothing', async (t) => {
  const server = await startNtpServer(t, undefined, '::1');
  const before = openSockets();
  const clock = new FakeClock();
  const abort = new AbortController();
  const running = ntp.run(
    aSpec('ntp', `[::1]:${server.port}`, { count: 8 }),
    aContext({ clock, signal: abort.signal }),
  );
  await until('the first is answered', () => server.requests.length === 1 && clock.pendingTimers === 1);
  abort.abort(new ProbeFailure('timeout', 'too late'));
  const result = await running;
  t.match(result, { success: false, error: { code: 'timeout' }, packets_sent: 1, packets_received: 1, ip_version: 6 });
  t.type(result.offset_ms, 'number');
  t.equal(clock.pendingTimers, 0);
  await until('no socket is left', () => openSockets() <= before);
});
