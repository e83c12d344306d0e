import { missing } from '@vantage/shared/_support/missing.js';
import { until } from '@vantage/shared/_support/until.js';
import { type ProbeSpecs, probeTypes } from '@vantage/shared/probe-types/index.js';
import { MAX_RESULT_BYTES } from '@vantage/shared/protocol/limits.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { anAnswer } from '../../../test/_support/an-answer.js';
import { startDnsServer } from '../../../test/_support/dns-server.js';
import { aContext, aPolicy, aResolver, aSpec } from '../../../test/_support/probe-context.js';
import { anIcmpEngine } from '../../../test/_support/raw-sockets.js';
import { RecordingEngine } from '../../../test/_support/recording-engine.js';
import { startTcpServer, unusedPort } from '../../../test/_support/tcp-server.js';
import { FlowTable } from '../../net/icmp/flow-table.js';
import { PortFlow, type PortFlowOptions, udpLabelling } from '../../net/icmp/port-flow.js';
import type { RawPacket } from '../../net/icmp/raw-channel.js';
import { SendError } from '../../net/icmp.js';
import { ProbeFailure } from '../failure.js';
import { traceroute } from './index.js';

const skip = missing('raw sockets');
const isResult = compileSchema(probeTypes.traceroute.Result);

for (const target of ['127.0.0.1', '::1']) {
  const cases = [
    ['icmp', 'echo_reply'],
    ['udp', 'port_unreachable'],
    ['tcp', 'tcp_rst'],
  ] as const;
  for (const [protocol, answer] of cases) {
    t.test(`${protocol} traceroute to ${target} reaches it at the first hop`, { skip }, async (t) => {
      const params = protocol === 'tcp' ? { protocol, port: await unusedPort(target) } : { protocol };
      const result = await traceroute.run(aSpec('traceroute', target, params), aContext({ icmp: anIcmpEngine(t) }));
      t.ok(isResult(result).ok);
      t.match(result, { success: true, error: null, reached: true, resolved_ip: target, protocol });
      t.equal(result.hops.length, 1);
      t.same(
        result.hops[0]?.replies.map(({ ip, icmp_type }) => [ip, icmp_type]),
        [1, 2, 3].map(() => [target, answer]),
      );
    });
  }
}

t.test('tcp traceroute to an open port is not a connection', { skip }, async (t) => {
  const server = await startTcpServer(t, () => {});
  const spec = aSpec('traceroute', '127.0.0.1', { protocol: 'tcp', port: server.port, queries: 1 });
  t.match(await traceroute.run(spec, aContext({ icmp: anIcmpEngine(t) })), {
    reached: true,
    hops: [{ ttl: 1, replies: [{ icmp_type: 'tcp_syn_ack' }] }],
  });
  t.equal(server.accepted, 0);
});

t.test('without raw sockets it says how to grant them', async (t) => {
  const result = await traceroute.run(aSpec('traceroute', '127.0.0.1', { protocol: 'udp' }), aContext({ icmp: null }));
  t.match(result, {
    success: false,
    error: { code: 'not_supported', message: /sudo setcap cap_net_raw\+ep \// },
    protocol: 'udp',
    reached: false,
    hops: [],
  });
  t.ok(isResult(result).ok);
});

t.test('a target the policy refuses is not traced', { skip }, async (t) => {
  const context = aContext({ icmp: anIcmpEngine(t), policy: aPolicy([]) });
  t.match(await traceroute.run(aSpec('traceroute', '127.0.0.1'), context), {
    error: { code: 'target_not_allowed' },
    hops: [],
  });
});

t.test('an abort before the first packet sends none', { skip }, async (t) => {
  const signal = AbortSignal.abort(new ProbeFailure('cancelled', 'not needed any more'));
  for (const protocol of ['icmp', 'udp', 'tcp'] as const) {
    const context = aContext({ icmp: anIcmpEngine(t), signal });
    const result = await traceroute.run(aSpec('traceroute', '127.0.0.1', { protocol }), context);
    t.match(result, { success: false, error: { code: 'cancelled' }, reached: false, hops: [] });
  }
});

t.test('silence ends the trace with the last timeout', async (t) => {
  const { engine, running } = await startTrace({ max_hops: 3, queries: 2, timeout_ms: 1000 });
  t.same(
    engine.sent,
    [1, 1, 2, 2, 3, 3].map((hopLimit, index) => ({ index, hopLimit, atMs: 0 })),
  );
  engine.clock.advance(999);
  t.equal(engine.openFlows, 1);
  engine.clock.advance(1);
  t.match(await running, { success: false, error: { code: 'no_reply' }, hops: [{ ttl: 1 }, { ttl: 2 }, { ttl: 3 }] });
  t.equal(engine.clock.pendingTimers, 0);
  t.equal(engine.openFlows, 0);
});

t.test('the last answer up to the target ends the trace at once', async (t) => {
  const { engine, running } = await startTrace({ queries: 1 });
  t.equal(engine.sent.length, 16);
  engine.answer(1, 5, '127.0.0.1');
  t.equal(engine.openFlows, 1, 'the first hop may still answer');
  engine.answer(0, 5, '10.0.0.1', 'time_exceeded');
  t.match(await running, { success: true, reached: true, hops: [{ ttl: 1 }, { ttl: 2 }] });
  t.equal(engine.sent.length, 16, 'nothing is sent beyond the target');
});

t.test('a silent hop before the target is waited for ten times as long as the next one took', async (t) => {
  const { engine, running } = await startTrace({ queries: 1, timeout_ms: 5000 });
  engine.clock.advance(30);
  engine.answer(1, 30, '127.0.0.1');
  engine.clock.advance(269);
  t.equal(engine.openFlows, 1);
  engine.clock.advance(1);
  t.match(await running, { success: true, hops: [{ replies: [{ ip: null }] }, { replies: [{ ip: '127.0.0.1' }] }] });
});

t.test('a reply after its timeout and before the end is reported as late', async (t) => {
  const { engine, running } = await startTrace({ max_hops: 2, queries: 4, timeout_ms: 500 });
  engine.clock.advance(700);
  engine.answer(0, 700, '10.0.0.1', 'time_exceeded');
  engine.clock.advance(10_000);
  const { hops } = await running;
  t.match(hops[0]?.replies, [{ ip: '10.0.0.1', rtt_ms: 700, late: true }, { ip: null }]);
});

t.test('replies that wait in the socket after a long stall are read before the trace gives up', async (t) => {
  const stalled = new RecordingEngine();
  stalled.clock.timersLateMs = 5000;
  const { engine, running } = await startTrace({ max_hops: 2, queries: 1, timeout_ms: 1000 }, { engine: stalled });
  engine.clock.advance(6000);
  engine.answer(0, 3, '10.0.0.1', 'time_exceeded');
  engine.answer(1, 4, '127.0.0.1');
  t.match(await running, { reached: true, hops: [{ replies: [{ ip: '10.0.0.1' }] }, { replies: [{ rtt_ms: 4 }] }] });

  const silent = new RecordingEngine();
  silent.clock.timersLateMs = 5000;
  const without = await startTrace({ max_hops: 2, queries: 1, timeout_ms: 1000 }, { engine: silent });
  silent.clock.advance(6000);
  t.match(await without.running, { success: false, error: { code: 'no_reply' } });
  t.equal(silent.clock.pendingTimers, 0);
});

t.test('each flow is its own, and its replies say which', async (t) => {
  const { engine, running } = await startTrace({ max_hops: 2, queries: 1, flows: 2 });
  t.equal(engine.openFlows, 2);
  t.same(
    engine.sent.map(({ hopLimit }, i) => [hopLimit, engine.flows[i]]),
    [
      [1, 0],
      [1, 1],
      [2, 0],
      [2, 1],
    ],
  );
  const answers = [
    ['10.0.0.1', 'time_exceeded'],
    ['10.0.0.2', 'time_exceeded'],
    ['127.0.0.1', 'echo_reply'],
    ['127.0.0.1', 'echo_reply'],
  ] as const;
  for (const [index, [from, name]] of answers.entries()) engine.answer(index, 1, from, name);
  t.same(
    (await running).hops.map(({ replies }) => replies.map(({ flow, ip }) => [flow, ip])),
    [
      [
        [1, '10.0.0.1'],
        [2, '10.0.0.2'],
      ],
      [
        [1, '127.0.0.1'],
        [2, '127.0.0.1'],
      ],
    ],
  );
  t.equal(engine.openFlows, 0);
});

t.test('a result of the longest names, the deepest stacks and a loop of routers fits into a row', async (t) => {
  const { engine, running } = await startTrace({ max_hops: 64, queries: 10, flows: 8 });
  const mpls = Array.from({ length: 8 }, () => ({ label: 0xfffff, tc: 7, s: 1, ttl: 255 }));
  let answered = 0;
  for (let turn = 0; turn < 60; turn += 1) {
    engine.clock.advance(1000);
    for (; answered < engine.sent.length; answered += 1)
      engine.listener?.onAnswer(
        anAnswer({
          index: answered,
          from: `2001:db8:aaaa:bbbb:cccc:dddd:eeee:${(answered % 9000) + 1000}`,
          name: 'time_exceeded',
          code: 0,
          mpls,
          rttMs: 1234.567,
        }),
      );
  }
  const result = await running;
  t.equal(answered, 1000);
  t.ok(isResult(result).ok);
  t.ok(JSON.stringify(result).length < MAX_RESULT_BYTES - 2 * 24 * 1024, 'with room for names');
});

/** Writes the datagrams of UDP traces as they would leave, and sends none. */
class DatagramRecorder extends RecordingEngine {
  readonly destinationPorts: number[] = [];

  override async openUdp({ target, port, listener }: PortFlowOptions) {
    const send = ({ bytes }: RawPacket) => this.destinationPorts.push(bytes.readUInt16BE(2));
    const source = { address: target.family === 4 ? '127.0.0.1' : '::1', port: 50_000 };
    const parts = { channel: { send, close() {} }, table: new FlowTable(), labelling: udpLabelling(0xffff), source };
    return new PortFlow({ ...parts, release: () => {} }, { target, port, listener });
  }
}

t.test('no hop and no query of the longest udp trace leaves ports 33434 to 33690', async (t) => {
  for (const target of ['127.0.0.1', '::1'])
    for (const asked of [undefined, 33434, 33690]) {
      const icmp = new DatagramRecorder();
      const port = asked === undefined ? {} : { port: asked };
      const params = { protocol: 'udp', max_hops: 64, queries: 10, timeout_ms: 10_000, ...port } as const;
      const running = traceroute.run(aSpec('traceroute', target, params), aContext({ icmp, clock: icmp.clock }));
      await until('the first packets', () => icmp.destinationPorts.length > 0);
      icmp.clock.advance(1_000_000);
      t.match(await running, { success: false, error: { code: 'no_reply' } });
      t.equal(icmp.destinationPorts.length, 640);
      t.same([...new Set(icmp.destinationPorts)], [asked ?? 33434], 'the one port that was asked for');
    }
});

t.test('a udp trace to any other port is refused by the engine itself', async (t) => {
  for (const port of [1, 53, 33433, 33691, 65535]) {
    const icmp = new DatagramRecorder();
    const params = { protocol: 'udp', max_hops: 64, queries: 10, port } as const;
    const context = aContext({ icmp, clock: icmp.clock });
    t.match(await traceroute.run(aSpec('traceroute', '127.0.0.1', params), context), {
      success: false,
      error: { code: 'target_not_allowed', message: `port ${port} is not one of 33434 to 33690` },
      hops: [],
    });
    t.same([icmp.destinationPorts, icmp.openFlows, icmp.clock.pendingTimers], [[], 0, 0]);
  }
});

t.test('an abort keeps what was heard and leaves neither timer nor flow', async (t) => {
  for (const protocol of ['icmp', 'udp', 'tcp'] as const) {
    const controller = new AbortController();
    const { engine, running } = await startTrace({ protocol, max_hops: 2, queries: 1 }, controller);
    engine.answer(0, 1, '10.0.0.1', 'time_exceeded');
    controller.abort(new ProbeFailure('timeout', 'too late'));
    t.match(await running, {
      success: false,
      error: { code: 'timeout' },
      hops: [
        { ttl: 1, replies: [{ ip: '10.0.0.1' }] },
        { ttl: 2, replies: [{ ip: null }] },
      ],
    });
    t.equal(engine.clock.pendingTimers, 0);
    t.equal(engine.openFlows, 0);
  }
});

t.test('the first packet that cannot leave ends the trace', async (t) => {
  const { engine, running } = await startTrace({});
  engine.listener?.onSendError(0, new SendError('ENETUNREACH', 'no way'));
  t.match(await running, { success: false, error: { code: 'net_unreachable' }, resolved_ip: '127.0.0.1' });
  t.equal(engine.openFlows, 0);
});

t.test('hops of a trace have names, each queried once and at most 32 in all', async (t) => {
  const nameOf = (lastByte: string | undefined) => `router-${lastByte}.example`;
  const dns = await startDnsServer(t, ({ name }) => ({
    answers: [{ type: 'PTR', name, data: nameOf(name.split('.')[0]) }],
  }));
  const engine = new RecordingEngine();
  const context = aContext({ icmp: engine, clock: engine.clock, resolver: aResolver([dns.endpoint]) });
  const running = traceroute.run(aSpec('traceroute', '127.0.0.1', { max_hops: 20 }), context);
  await until('the first packets', () => engine.sent.length > 0);
  while (engine.sent.length < 60) engine.clock.advance(10);
  // two routers at each hop, the first of which answers twice
  for (const [index, { hopLimit }] of engine.sent.entries()) {
    if (hopLimit === 20) engine.answer(index, 1, '127.0.0.1');
    else engine.answer(index, 1, `127.9.9.${2 * hopLimit + (index % 3 === 2 ? 1 : 0)}`, 'time_exceeded');
  }
  const { hops, ...result } = await running;
  t.match(result, { success: true, reached: true });
  t.equal(dns.queries.length, 32);
  const replies = hops.flatMap(({ replies }) => replies);
  const named = replies.filter(({ hostname }) => hostname !== undefined);
  t.equal(new Set(named.map(({ ip }) => ip)).size, 32);
  t.equal(named.length, 48, 'every reply of a router that was asked for');
  for (const { ip, hostname } of named) t.equal(hostname, nameOf(ip?.split('.')[3]));
});

t.test('names of a private network are left out, also where an alias leads to them', async (t) => {
  const dns = await startDnsServer(t, ({ name }) => {
    const ptr = (owner: string, data: string) => ({ type: 'PTR', name: owner, data }) as const;
    if (name.startsWith('1.')) return { answers: [ptr(name, 'core1.corp.internal')] };
    if (name.startsWith('2.')) return { answers: [ptr(name, 'gateway')] };
    if (name.startsWith('4.')) return { answers: [ptr(name, 'edge.example.net')] };
    const inside = '5.0.0.10.in-addr.arpa';
    return { answers: [{ type: 'CNAME', name, data: inside }, ptr(inside, 'nas.example.com')] };
  });
  const engine = new RecordingEngine();
  const context = aContext({ icmp: engine, clock: engine.clock, resolver: aResolver([dns.endpoint]) });
  const running = traceroute.run(aSpec('traceroute', '127.0.0.1', { max_hops: 5, queries: 1 }), context);
  await until('the packets', () => engine.sent.length === 5);
  for (const [index, { hopLimit }] of engine.sent.entries()) {
    if (hopLimit === 5) engine.answer(index, 1, '127.0.0.1');
    else engine.answer(index, 1, `127.9.9.${hopLimit}`, 'time_exceeded');
  }
  const { hops } = await running;
  const names = hops.slice(0, 4).map(({ replies }) => replies[0]?.hostname);
  t.strictSame(names, [undefined, undefined, undefined, 'edge.example.net']);
});

/** A trace whose first packets are out. */
async function startTrace(
  params: Partial<ProbeSpecs['traceroute']['params']>,
  { signal = new AbortController().signal, engine = new RecordingEngine() } = {},
) {
  const running = traceroute.run(
    aSpec('traceroute', '127.0.0.1', params),
    aContext({ icmp: engine, clock: engine.clock, signal }),
  );
  await until('the first packets', () => engine.sent.length > 0);
  return { engine, running };
}
