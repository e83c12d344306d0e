import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { missing } from '@vantage/shared/_support/missing.js';
import { until } from '@vantage/shared/_support/until.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { startSilentPort } from '../../../test/_support/deaf-server.js';
import { openSockets } from '../../../test/_support/open-resources.js';
import { aContext, aPolicy, aSpec } from '../../../test/_support/probe-context.js';
import { anIcmpEngine } from '../../../test/_support/raw-sockets.js';
import { RecordingEngine } from '../../../test/_support/recording-engine.js';
import { startTcpServer, unusedPort } from '../../../test/_support/tcp-server.js';
import { type IcmpEngine, SendError } from '../../net/icmp.js';
import { ProbeFailure } from '../failure.js';
import { ping } from './index.js';

const skip = missing('raw sockets');
const isResult = compileSchema(probeTypes.ping.Result);

for (const [kind, target, family, ttl] of [
  ['addon', '127.0.0.1', 4, 64],
  ['addon', '::1', 6, 64],
  ['raw-socket', '127.0.0.1', 4, 64],
  ['raw-socket', '::1', 6, null],
] as const) {
  t.test(`${kind}: IPv${family} ping gets every reply, and its result is of the type`, { skip }, async (t) => {
    const result = await ping.run(
      aSpec('ping', target, { count: 3, interval_ms: 200 }),
      aContext({ icmp: anIcmpEngine(t, { kind }) }),
    );
    t.ok(isResult(result).ok);
    t.match(result, {
      success: true,
      error: null,
      resolved_ip: target,
      ip_version: family,
      packets_sent: 3,
      packets_received: 3,
      loss_pct: 0,
    });
    t.same(
      result.replies.map((reply) => [reply.seq, reply.ttl, reply.duplicate]),
      [0, 1, 2].map((seq) => [seq, ttl, false]),
    );
    t.ok(result.replies.every(({ rtt_ms }) => rtt_ms !== null && rtt_ms > 0));
  });
}

t.test('200 pings at once to 200 addresses all succeed, each with its own address', { skip }, async (t) => {
  const icmp = anIcmpEngine(t);
  const targets = Array.from({ length: 200 }, (_, i) => `127.3.0.${i + 1}`);
  const results = await Promise.all(
    targets.map((target) => ping.run(aSpec('ping', target, { count: 1 }), aContext({ icmp }))),
  );
  t.same(
    results.map((result) => result.resolved_ip),
    targets,
  );
  t.ok(results.every(({ success, replies }) => success && replies.length === 1));
});

t.test('without raw sockets icmp says how to grant them, and tcp works', async (t) => {
  const { port } = await startTcpServer(t, () => {});
  const context = aContext({ icmp: null });
  const refused = await ping.run(aSpec('ping', '127.0.0.1'), context);
  t.match(refused, {
    success: false,
    error: {
      code: 'not_supported',
      message: /sudo setcap cap_net_raw\+ep \/.*; "protocol": "tcp" does not require them$/,
    },
    packets_sent: 0,
  });
  t.ok(isResult(refused).ok);
  t.match(await ping.run(aSpec('ping', '127.0.0.1', { count: 1, protocol: 'tcp', port }), context), { success: true });
});

t.test('tcp ping times each connect, sends not one byte and leaves no socket', async (t) => {
  const server = await startTcpServer(t, () => {});
  const before = openSockets();
  const result = await ping.run(
    aSpec('ping', '127.0.0.1', { count: 3, interval_ms: 200, protocol: 'tcp', port: server.port }),
    aContext(),
  );
  t.match(result, {
    success: true,
    packets_sent: 3,
    packets_received: 3,
    replies: [{ seq: 0, ttl: null }, { seq: 1 }, { seq: 2 }],
  });
  t.ok(isResult(result).ok);
  await until('three connections came', () => server.accepted === 3);
  t.equal(server.received.length, 0);
  await until('no socket is left', () => openSockets() <= before);
});

t.test('tcp ping to a closed port is a refusal', async (t) => {
  const port = await unusedPort();
  const result = await ping.run(aSpec('ping', '127.0.0.1', { count: 1, protocol: 'tcp', port }), aContext());
  t.match(result, {
    success: false,
    error: { code: 'tcp_refused' },
    resolved_ip: '127.0.0.1',
    packets_sent: 1,
    packets_received: 0,
    loss_pct: 100,
  });
});

t.test('50 connects that hang at once time out one by one, without a word on the console', async (t) => {
  const port = await startSilentPort(t);
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  t.teardown(() => process.off('warning', onWarning));
  const clock = new FakeClock();
  const spec = aSpec('ping', '127.0.0.1', { count: 50, interval_ms: 200, timeout_ms: 10_000, protocol: 'tcp', port });
  const running = ping.run(spec, aContext({ clock }));
  for (let waiting = 1; waiting < 50; waiting += 1) {
    await until(`${waiting} connects and the pause`, () => clock.pendingTimers === waiting + 1);
    clock.advance(200);
  }
  await until('50 connects', () => clock.pendingTimers === 50);
  clock.advance(10_000);
  t.match(await running, {
    success: false,
    error: { code: 'tcp_timeout' },
    packets_sent: 50,
    packets_received: 0,
    loss_pct: 100,
  });
  t.same(warnings, []);
});

t.test('icmp ping ends at its abort with what it has', async (t) => {
  const engine = new RecordingEngine();
  const controller = new AbortController();
  const context = aContext({ icmp: engine, clock: engine.clock, signal: controller.signal });
  const running = ping.run(aSpec('ping', '127.0.0.1', { count: 50, interval_ms: 200 }), context);
  await until('the first packet', () => engine.sent.length === 1);
  engine.answer(0, 3, '127.0.0.1');
  engine.clock.advance(200);
  controller.abort(new ProbeFailure('cancelled', 'not needed any more'));
  const result = await running;
  t.match(result, { success: false, error: { code: 'cancelled', message: 'not needed any more' } });
  t.match(result, { packets_sent: 2, packets_received: 1, replies: [{ rtt_ms: 3 }, { rtt_ms: null }] });
  t.ok(isResult(result).ok);
  t.equal(engine.clock.pendingTimers, 0);
  t.equal(engine.openFlows, 0);
});

t.test('tcp ping ends at its abort with what it has', async (t) => {
  const server = await startTcpServer(t, () => {});
  const clock = new FakeClock();
  const controller = new AbortController();
  const spec = aSpec('ping', '127.0.0.1', { count: 50, protocol: 'tcp', port: server.port });
  const running = ping.run(spec, aContext({ clock, signal: controller.signal }));
  await until('one connect, and the pause after it', () => server.accepted === 1 && clock.pendingTimers === 1);
  controller.abort(new ProbeFailure('cancelled', 'not needed any more'));
  const result = await running;
  t.match(result, { success: false, error: { code: 'cancelled' }, packets_sent: 1, packets_received: 1 });
  t.ok(isResult(result).ok);
  t.equal(clock.pendingTimers, 0);
});

t.test('a target the policy refuses gets no packet', async (t) => {
  const engine = new RecordingEngine();
  const result = await ping.run(aSpec('ping', '127.0.0.1'), aContext({ icmp: engine, policy: aPolicy([]) }));
  t.match(result, { success: false, error: { code: 'target_not_allowed' }, packets_sent: 0 });
  t.same(engine.sent, []);
});

t.test('packets leave in rhythm, each waits its own time, and the last reply ends it', async (t) => {
  const clock = new FakeClock();
  const engine = new RecordingEngine(clock);
  const running = ping.run(
    aSpec('ping', '127.0.0.1', { count: 3, interval_ms: 1000, timeout_ms: 1500, ttl: 17, size: 8 }),
    aContext({ icmp: engine, clock }),
  );
  await until('the first packet', () => engine.sent.length === 1);
  clock.advance(1499);
  engine.answer(0, 1499, '127.0.0.1');
  clock.advance(501);
  t.same(
    engine.sent,
    [0, 1, 2].map((index) => ({ index, hopLimit: 17, atMs: index * 1000 })),
  );
  clock.advance(501);
  engine.answer(1, 1501, '127.0.0.1');
  engine.answer(2, 501, '127.0.0.1');
  const result = await running;
  t.same(
    result.replies.map(({ seq, rtt_ms, late }) => [seq, rtt_ms, late]),
    [
      [0, 1499, false],
      [1, 1501, true],
      [2, 501, false],
    ],
  );
  t.equal(clock.pendingTimers, 0);
  t.equal(engine.openFlows, 0);
});

t.test('the first packet that cannot leave ends the ping at once', async (t) => {
  const engine = new RecordingEngine();
  const running = ping.run(
    aSpec('ping', '127.0.0.1', { count: 50 }),
    aContext({ icmp: engine, clock: new FakeClock() }),
  );
  await until('the first packet', () => engine.sent.length === 1);
  engine.listener?.onSendError(0, new SendError('ENETUNREACH', 'no way'));
  t.match(await running, {
    success: false,
    error: { code: 'net_unreachable' },
    packets_sent: 0,
    loss_pct: 0,
    resolved_ip: '127.0.0.1',
  });
  t.equal(engine.openFlows, 0);
});

t.test('a node without the family of the target cannot reach its network', async (t) => {
  const engine: IcmpEngine = new RecordingEngine();
  engine.openEcho = () => {
    throw new SendError('EAFNOSUPPORT', 'no raw sockets of this family');
  };
  t.match(await ping.run(aSpec('ping', '127.0.0.1'), aContext({ icmp: engine })), {
    success: false,
    error: { code: 'net_unreachable' },
    packets_sent: 0,
  });
});
