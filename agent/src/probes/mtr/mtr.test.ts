import { missing } from '@vantage/shared/_support/missing.js';
import { until } from '@vantage/shared/_support/until.js';
import { type ProbeSpecs, probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { anAnswer } from '../../../test/_support/an-answer.js';
import { startDnsServer } from '../../../test/_support/dns-server.js';
import { aContext, aResolver, aSpec } from '../../../test/_support/probe-context.js';
import { anIcmpEngine } from '../../../test/_support/raw-sockets.js';
import { RecordingEngine } from '../../../test/_support/recording-engine.js';
import { ProbeFailure } from '../failure.js';
import { mtr } from './index.js';

const skip = missing('raw sockets');
const isResult = compileSchema(probeTypes.mtr.Result);

for (const target of ['127.0.0.1', '::1']) {
  for (const protocol of ['icmp', 'udp', 'tcp'] as const) {
    t.test(`${protocol} mtr to ${target} counts every reply of its one hop`, { skip }, async (t) => {
      const params = { protocol, cycles: 3, interval_ms: 200 };
      const result = await mtr.run(aSpec('mtr', target, params), aContext({ icmp: anIcmpEngine(t) }));
      t.ok(isResult(result).ok);
      t.match(result, {
        success: true,
        reached: true,
        hops: [{ ttl: 1, ip: [target], sent: 3, received: 3, loss_pct: 0 }],
      });
      const { min_ms, avg_ms, max_ms } = result.hops[0]?.rtt ?? {};
      t.ok((min_ms ?? 0) > 0 && (min_ms ?? 0) <= (avg_ms ?? 0) && (avg_ms ?? 0) <= (max_ms ?? 0));
    });
  }
}

t.test('loss, addresses, labels and late replies are counted hop by hop', async (t) => {
  const { engine, running } = await startMtr({ cycles: 3, timeout_ms: 500 });
  const mpls = [{ label: 16001, tc: 0, s: 1, ttl: 1 }];
  const say = (index: number, from: string, rttMs: number) =>
    engine.listener?.onAnswer(
      anAnswer({
        index,
        from,
        name: from === '127.0.0.1' ? 'echo_reply' : 'time_exceeded',
        mpls: from === '10.0.0.2' ? mpls : [],
        rttMs,
      }),
    );
  engine.clock.advance(200);
  say(0, '10.0.0.1', 2);
  say(1, '10.0.0.2', 4);
  say(2, '127.0.0.1', 6);
  engine.clock.advance(1799);
  t.same(
    engine.sent.map(({ hopLimit }) => hopLimit),
    [1, 2, 3, 1, 2, 3],
  );
  say(4, '10.0.0.3', 9);
  say(5, '127.0.0.1', 8);
  engine.clock.advance(650);
  t.equal(engine.sent.length, 8);
  say(3, '10.0.0.1', 1650);
  engine.clock.advance(50);
  say(8, '127.0.0.1', 6);
  engine.clock.advance(600);
  const result = await running;
  t.ok(isResult(result).ok);
  t.match(result, {
    success: true,
    hops: [
      { ttl: 1, ip: ['10.0.0.1'], sent: 3, received: 2, rtt: { min_ms: 2, max_ms: 1650, last_ms: 1650 } },
      { ttl: 2, ip: ['10.0.0.2', '10.0.0.3'], hostname: [null, null], sent: 3, received: 2, loss_pct: 33.333 },
      { ttl: 3, ip: ['127.0.0.1'], sent: 3, received: 3, jitter_ms: 1.333, icmp_type: 'echo_reply' },
    ],
  });
  t.same(result.hops[1]?.mpls, undefined, 'the labels of the last answer, which had none');
  t.equal(engine.clock.pendingTimers, 0);
  t.equal(engine.openFlows, 0);
});

t.test('an abort keeps what was counted and leaves neither timer nor flow', async (t) => {
  const controller = new AbortController();
  const { engine, running } = await startMtr({ cycles: 60 }, controller.signal);
  engine.answer(0, 1, '10.0.0.1', 'time_exceeded');
  engine.clock.advance(100);
  controller.abort(new ProbeFailure('cancelled', 'enough'));
  t.match(await running, {
    success: false,
    error: { code: 'cancelled' },
    hops: [
      { ttl: 1, received: 1 },
      { ttl: 2, sent: 1, received: 0, loss_pct: 100 },
    ],
  });
  t.same([engine.clock.pendingTimers, engine.openFlows], [0, 0]);
});

t.test('names of hops are asked for once each, and a hostile one is escaped', async (t) => {
  const dns = await startDnsServer(t, (query) => ({
    answers: [{ type: 'PTR', name: query.name, data: '\u001b[2Jevil name.example' }],
  }));
  const engine = new RecordingEngine();
  const context = aContext({ icmp: engine, clock: engine.clock, resolver: aResolver([dns.endpoint]) });
  const running = mtr.run(aSpec('mtr', '127.0.0.1', { cycles: 2 }), context);
  await until('the first packet', () => engine.sent.length > 0);
  engine.answer(0, 1, '127.0.0.1');
  engine.clock.advance(1000);
  engine.answer(1, 1, '127.0.0.1');
  engine.clock.advance(10);
  t.match(await running, { hops: [{ hostname: ['\\027[2Jevil\\032name.example'] }] });
  t.same(
    dns.queries.map(({ name }) => name),
    ['1.0.0.127.in-addr.arpa'],
  );
});

t.test(
  'names cost 32 questions at most, and none where they are not wanted or the policy refuses the address',
  async (t) => {
    const dns = await startDnsServer(t, () => null);
    const engine = new RecordingEngine();
    const resolver = aResolver([dns.endpoint]);
    const context = aContext({ icmp: engine, clock: engine.clock, resolver });
    const running = mtr.run(aSpec('mtr', '127.0.0.1', { cycles: 60 }), context);
    await until('the first packet', () => engine.sent.length > 0);
    engine.clock.advance(500);
    engine.answer(0, 1, '10.0.0.1', 'time_exceeded');
    for (let second = 1; second < 50; second += 1) {
      engine.clock.advance(1000);
      engine.answer(engine.sent.length - 1, 1, `127.9.9.${second}`, 'time_exceeded');
    }
    await until('all that is asked', () => dns.queries.length >= 32);
    engine.clock.advance(100_000);
    engine.clock.advance(1000);
    await until('the wait for names', () => engine.clock.pendingTimers > 0);
    engine.clock.advance(1000);
    t.match((await running).error?.code, 'no_reply');
    t.equal(dns.queries.length, 32);
    t.notOk(dns.queries.some(({ name }) => name.endsWith('.10.in-addr.arpa')));
  },
);

/** An mtr whose first packet is out. */
async function startMtr(params: Partial<ProbeSpecs['mtr']['params']>, signal = new AbortController().signal) {
  const engine = new RecordingEngine();
  const running = mtr.run(aSpec('mtr', '127.0.0.1', params), aContext({ icmp: engine, clock: engine.clock, signal }));
  await until('the first packet', () => engine.sent.length > 0);
  return { engine, running };
}
