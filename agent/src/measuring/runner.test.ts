import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { type ProbeType, probeTypeNames, probeTypes } from '@vantage/shared/probe-types/index.js';
import { agentResultSchema } from '@vantage/shared/probe-types/node-result.js';
import { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { fakeEngines, succeeding, tcpSpec, waitingForAbort } from '../../test/_support/fake-engines.js';
import type { IcmpEngine } from '../net/icmp.js';
import type { Resolver } from '../net/resolver.js';
import { ProbeFailure } from '../probes/failure.js';
import { HttpEngine } from '../probes/http/index.js';
import type { Engines } from '../probes/index.js';
import { ping } from '../probes/ping/index.js';
import type { RunResult } from './failed-run.js';
import { ProbeRunner, type RunnerOptions } from './runner.js';

const resolver: Resolver = {
  servers: [],
  resolve: () => Promise.reject(new ProbeFailure('dns_error', 'no resolver here')),
  reverse: async () => null,
};

function makeRunner(
  own: Partial<Engines> = {},
  slots: RunnerOptions['slots'] = {},
  icmp: RunnerOptions['icmp'] = null,
) {
  const clock = new FakeClock();
  const faults: string[] = [];
  const policy = new TargetPolicy({ allow: ['192.0.2.0/24'], own: ['203.0.113.9'], denied: ['evil.example'] });
  const runner = new ProbeRunner({
    engines: fakeEngines(own),
    resolver,
    icmp,
    policy: { current: () => policy },
    clock,
    userAgent: 'vantage-agent/test',
    slots,
    onEngineFault: (type, error) => faults.push(`${type}: ${String(error)}`),
  });
  return { runner, clock, faults };
}

function request(spec: unknown = tcpSpec(), type = 'tcp', id = 'pt_1', deadlineMs = 5000) {
  return { id, type, spec, deadlineMs };
}

function codeOf(result: RunResult): string | null {
  return result.error?.code ?? null;
}

/** Lets pending promises settle. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

t.test('a probe that succeeds comes back as a complete result of its type', async (t) => {
  const { runner, clock } = makeRunner();
  const result = await runner.run(request());
  t.match(compileSchema(agentResultSchema('tcp'))(result), { ok: true });
  t.match(result, { success: true, error: null, started_at: new Date(clock.now()).toISOString(), disturbed: false });
});

t.test(
  'when the wall clock is set while a probe runs, its start moves too, so that one correction fits both',
  async (t) => {
    const hourMs = 3_600_000;
    const tcp = succeeding('tcp');
    const { runner, clock } = makeRunner({
      tcp: {
        run: (spec, context) => {
          clock.setWall(clock.now() - hourMs);
          return tcp.run(spec, context);
        },
      },
    });
    const before = clock.now();
    const result = await runner.run(request());
    t.match(result, { started_at: new Date(before - hourMs).toISOString(), duration_ms: 0 });
  },
);

t.test('a refused probe returns a complete result of its type', async (t) => {
  for (const type of probeTypeNames) {
    const { runner } = makeRunner();
    const result = await runner.run(request({ target: 7 }, type));
    t.equal(codeOf(result), 'not_supported', type);
    t.match(compileSchema(agentResultSchema(type))(result), { ok: true }, type);
  }
});

t.test('the agent enforces limits, whatever the control plane permitted', async (t) => {
  const cases: { name: string; type: ProbeType | 'quic'; spec: unknown; code: string }[] = [
    { name: 'an unknown type', type: 'quic', spec: tcpSpec(), code: 'not_supported' },
    {
      name: 'an unknown parameter',
      type: 'tcp',
      spec: { target: '192.0.2.1:80', params: { flood: true } },
      code: 'not_supported',
    },
    {
      name: 'a parameter out of range',
      type: 'tcp',
      spec: { target: '192.0.2.1:80', params: { count: 11 } },
      code: 'not_supported',
    },
    { name: 'no target', type: 'tcp', spec: { params: {} }, code: 'not_supported' },
    { name: 'no object', type: 'tcp', spec: null, code: 'not_supported' },
    { name: 'a private address', type: 'tcp', spec: tcpSpec('10.0.0.1:80'), code: 'target_not_allowed' },
    { name: 'an address of this machine', type: 'tcp', spec: tcpSpec('203.0.113.9:80'), code: 'target_not_allowed' },
    { name: 'a name on the deny list', type: 'tcp', spec: tcpSpec('www.evil.example:80'), code: 'target_not_allowed' },
    {
      name: 'a URL of another scheme',
      type: 'http',
      spec: { target: 'file:///etc/passwd', params: {} },
      code: 'target_not_allowed',
    },
  ];
  for (const { name, type, spec, code } of cases) {
    const engine = waitingForAbort<'tcp'>();
    const { runner } = makeRunner({ tcp: engine });
    t.equal(codeOf(await runner.run(request(spec, type))), code, name);
    t.same(engine.started, [], `${name}: the engine never hears of it`);
  }
});

t.test('a deadline ends a probe with timeout', async (t) => {
  const { runner, clock } = makeRunner({ tcp: waitingForAbort() });
  const run = runner.run(request());
  await settle();
  clock.advance(5000);
  const result = await run;
  t.equal(codeOf(result), 'timeout');
  t.equal(result.duration_ms, 5000);
  t.equal(clock.pendingTimers <= 1, true, 'only the tick of the lag guard may be left');
});

t.test('the limit of the type holds where the control plane allows more time', async (t) => {
  const { runner, clock } = makeRunner({ tcp: waitingForAbort() });
  const run = runner.run(request(tcpSpec(), 'tcp', 'pt_1', 600_000));
  await settle();
  clock.advance(
    probeTypes.tcp.deadlineMs({
      target: '',
      params: { timeout_ms: 1000, count: 1, ip_version: 'auto', banner: false },
    }),
  );
  t.equal(codeOf(await run), 'timeout');
});

t.test('a cancelled probe is answered as cancelled, running or waiting', async (t) => {
  const { runner } = makeRunner({ tcp: waitingForAbort() }, { capacityUnits: 1 });
  const running = runner.run(request());
  const waiting = runner.run(request(tcpSpec(), 'tcp', 'pt_2'));
  await settle();
  runner.cancel('pt_2');
  runner.cancel('pt_1');
  runner.cancel('pt_unknown');
  t.equal(codeOf(await running), 'cancelled');
  t.equal(codeOf(await waiting), 'cancelled');
});

/** Deadline of a TCP probe of `tcpSpec()`. */
const fullMs = probeTypes.tcp.deadlineMs({
  target: '',
  params: { timeout_ms: 1000, count: 1, ip_version: 'auto', banner: false },
});

t.test('a probe that would no longer have its full time is overload at once: the target was never asked', async (t) => {
  const engine = waitingForAbort<'tcp'>();
  const { runner, clock } = makeRunner({ tcp: engine }, { capacityUnits: 1 });
  const first = runner.run(request(tcpSpec(), 'tcp', 'pt_1', 600_000));
  const second = runner.run(request(tcpSpec('192.0.2.2:80'), 'tcp', 'pt_2', fullMs + 1000));
  await settle();
  clock.advance(1000);
  t.equal(codeOf(await second), 'overload');
  t.same(engine.started, ['192.0.2.1:80']);
  runner.cancel('pt_1');
  await first;
});

t.test('a probe that waited for its slot has its full time all the same', async (t) => {
  const engine = waitingForAbort<'tcp'>();
  const { runner, clock } = makeRunner({ tcp: engine }, { capacityUnits: 1 });
  const first = runner.run(request());
  const second = runner.run(request(tcpSpec('192.0.2.2:80'), 'tcp', 'pt_2', fullMs + 1000));
  await settle();
  clock.advance(999);
  runner.cancel('pt_1');
  await first;
  await settle();
  t.same(engine.started, ['192.0.2.1:80', '192.0.2.2:80']);
  clock.advance(fullMs);
  t.match(await second, { error: { code: 'timeout' }, duration_ms: fullMs });
});

t.test('a type runs as often at a time as its engine says, and lets other types pass', async (t) => {
  const tcp = { ...waitingForAbort<'tcp'>(), load: { units: () => 1, maxConcurrent: 1 } };
  const { runner } = makeRunner({ tcp });
  const runs = ['pt_1', 'pt_2'].map((id) => runner.run(request(tcpSpec(), 'tcp', id, 600_000)));
  t.equal((await runner.run(request({ target: 'http://192.0.2.1/', params: {} }, 'http', 'pt_3'))).success, true);
  t.equal(tcp.started.length, 1);
  runner.cancel('pt_1');
  await runs[0];
  await settle();
  t.equal(tcp.started.length, 2);
  runner.cancel('pt_2');
  await runs[1];
});

t.test('while the event loop is behind, no probe begins next to another; when it caught up, they do', async (t) => {
  const tcp = waitingForAbort<'tcp'>();
  const { runner, clock } = makeRunner({ tcp });
  const first = runner.run(request(tcpSpec(), 'tcp', 'pt_1', 600_000));
  await settle();
  clock.timersLateMs = 15;
  clock.advance(400);
  const second = runner.run(request(tcpSpec(), 'tcp', 'pt_2', 600_000));
  await settle();
  t.equal(tcp.started.length, 1);
  clock.timersLateMs = 0;
  clock.advance(400);
  await settle();
  t.equal(tcp.started.length, 2);
  for (const id of ['pt_1', 'pt_2']) runner.cancel(id);
  await Promise.all([first, second]);
});

t.test('a loop that is behind for other reasons lets one probe at a time through', async (t) => {
  const { runner, clock } = makeRunner({ tcp: waitingForAbort() });
  const first = runner.run(request(tcpSpec(), 'tcp', 'pt_1', 600_000));
  await settle();
  clock.timersLateMs = 15;
  clock.advance(400);
  runner.cancel('pt_1');
  await first;
  const next = runner.run(request(tcpSpec(), 'tcp', 'pt_2', 600_000));
  await settle();
  clock.advance(100);
  runner.cancel('pt_2');
  t.match(await next, { error: { code: 'cancelled' }, disturbed: true, loop_lag_ms: 15 });
});

t.test('a late loop marks no ping whose times are the kernel’s, and every other', async (t) => {
  const cases = [
    { kind: 'addon', protocol: 'icmp', disturbed: false },
    { kind: 'datagram', protocol: 'icmp', disturbed: false },
    { kind: 'addon', protocol: 'tcp', disturbed: true },
    { kind: 'raw-socket', protocol: 'icmp', disturbed: true },
  ] as const;
  for (const { kind, protocol, disturbed } of cases) {
    const { isTimedByIcmp } = ping;
    const waiting = { ...waitingForAbort<'ping'>(), ...(isTimedByIcmp && { isTimedByIcmp }) };
    const { runner, clock } = makeRunner({ ping: waiting }, {}, { kind } as IcmpEngine);
    clock.timersLateMs = 40;
    const running = runner.run(request({ target: '192.0.2.1', params: { protocol } }, 'ping'));
    await settle();
    clock.advance(200);
    runner.cancel('pt_1');
    t.match(await running, { disturbed, loop_lag_ms: 40 }, `${kind} ${protocol}`);
  }
});

t.test('a ping that waits between its packets takes half a slot', async (t) => {
  const { load } = ping;
  const waiting = { ...waitingForAbort<'ping'>(), ...(load && { load }) };
  const { runner } = makeRunner({ ping: waiting }, { capacityUnits: 2 });
  const counts = [4, 1, 50, 2];
  const runs = counts.map((count, i) =>
    runner.run(request({ target: `192.0.2.${i}`, params: { count } }, 'ping', `pt_${i}`, 600_000)),
  );
  await settle();
  t.same(waiting.started, ['192.0.2.0', '192.0.2.1', '192.0.2.2']);
  for (const i of counts.keys()) runner.cancel(`pt_${i}`);
  await Promise.all(runs);
});

t.test('a caller with one probe waits for a single probe of a caller with many', async (t) => {
  const engine = waitingForAbort<'tcp'>();
  const { runner } = makeRunner({ tcp: engine }, { capacityUnits: 1 });
  const asked = ['big', 'big', 'big', 'big', 'small'].map((caller, i) => ({
    ...request(tcpSpec(`192.0.2.${i}:80`), 'tcp', `pt_${i}`, 600_000),
    caller,
  }));
  const runs = asked.map((one) => runner.run(one));
  for (let i = 0; i < asked.length; i += 1) {
    await settle();
    const running = asked.find(({ spec }) => (spec as { target: string }).target === engine.started[i]);
    runner.cancel(running?.id ?? '');
  }
  await Promise.all(runs);
  const order = engine.started.map((target) => Number(/(\d):80$/.exec(target)?.[1]));
  t.strictSame(order, [0, 1, 4, 2, 3]);
});

t.test('a probe beyond the queue is answered overload at once', async (t) => {
  const { runner } = makeRunner({ tcp: waitingForAbort() }, { capacityUnits: 1, maxWaiting: 1 });
  const runs = ['pt_1', 'pt_2', 'pt_3'].map((id) => runner.run(request(tcpSpec(), 'tcp', id)));
  t.equal(codeOf((await runs[2]) as RunResult), 'overload');
  for (const id of ['pt_1', 'pt_2']) runner.cancel(id);
  await Promise.all(runs);
});

t.test('http over TLS takes four slots, plain http one', async (t) => {
  const http = { ...waitingForAbort<'http'>(), load: new HttpEngine().load };
  const { runner } = makeRunner({ http }, { capacityUnits: 5 });
  const targets = ['https://192.0.2.1/', 'http://192.0.2.2/', 'http://192.0.2.3/'];
  const runs = targets.map((target, i) => runner.run(request({ target, params: {} }, 'http', `pt_${i}`)));
  await settle();
  t.same(http.started, targets.slice(0, 2));
  for (const i of targets.keys()) runner.cancel(`pt_${i}`);
  await Promise.all(runs);
});

t.test('a slot is given back however a probe ends', async (t) => {
  let runs = 0;
  const { runner } = makeRunner(
    { tcp: { run: async () => Promise.reject(new Error(`broken ${++runs}`)) } },
    { capacityUnits: 1, maxWaiting: 0 },
  );
  for (let i = 0; i < 3; i += 1) t.equal(codeOf(await runner.run(request())), 'internal');
  t.equal(runs, 3);
});

t.test('an engine that throws gives internal, without its stack, and the fault is reported', async (t) => {
  const { runner, faults } = makeRunner({ tcp: { run: () => Promise.reject(new Error('null pointer')) } });
  const result = await runner.run(request());
  t.same(result.error, { code: 'internal', message: 'null pointer' });
  t.same(faults, ['tcp: Error: null pointer']);
});

t.test('a failure an engine throws on purpose keeps its code', async (t) => {
  const { runner, faults } = makeRunner({
    tcp: { run: () => Promise.reject(new ProbeFailure('tcp_refused', 'nobody there')) },
  });
  t.equal(codeOf(await runner.run(request())), 'tcp_refused');
  t.same(faults, []);
});

t.test('an engine that ignores its abort is answered for after the grace', async (t) => {
  const { runner, clock, faults } = makeRunner({ tcp: { run: () => new Promise(() => undefined) } });
  let result: RunResult | null = null;
  const run = runner.run(request()).then((answer) => {
    result = answer;
  });
  await settle();
  clock.advance(5999);
  await settle();
  t.equal(result, null);
  clock.advance(1);
  await run;
  t.equal(codeOf(result as unknown as RunResult), 'timeout');
  t.same(faults, ['tcp: Error: did not stop when aborted']);
});

t.test('an answer outside the schema of its type becomes internal', async (t) => {
  const { runner, faults } = makeRunner({
    tcp: {
      run: async () => ({
        success: true,
        error: null,
        resolved_ip: null,
        ip_version: null,
        port: 0,
        dns_ms: null,
        connect_ms: Number.NaN,
        attempts: [],
      }),
    },
  });
  const result = await runner.run(request());
  t.equal(codeOf(result), 'internal');
  t.match(compileSchema(agentResultSchema('tcp'))(result), { ok: true });
  t.match(faults, [/port must be at least 1/]);
});
