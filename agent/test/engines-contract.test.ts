import { getEventListeners } from 'node:events';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { missing } from '@vantage/shared/_support/missing.js';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import {
  definitionOf,
  type ProbeResults,
  type ProbeSpecs,
  type ProbeType,
  probeTypeNames,
} from '@vantage/shared/probe-types/index.js';
import { agentResultSchema } from '@vantage/shared/probe-types/node-result.js';
import { decodeAgentFrame, decodeResult, encodeAgentFrame, encodeResult } from '@vantage/shared/protocol/codec.js';
import { findUnstorableText } from '@vantage/shared/text.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { detectCapabilities } from '../src/capabilities.js';
import type { RunResult } from '../src/measuring/failed-run.js';
import { ProbeRunner } from '../src/measuring/runner.js';
import type { ProbeContext } from '../src/probes/engine.js';
import { ProbeFailure } from '../src/probes/failure.js';
import { engines } from '../src/probes/index.js';
import { startDnsServer, type TestDnsServer, zone } from './_support/dns-server.js';
import { openSockets, openTimers, turns } from './_support/open-resources.js';
import { aContext, aPolicy, aResolver } from './_support/probe-context.js';
import { trialOf } from './_support/probe-trial.js';
import { RecordingEngine } from './_support/recording-engine.js';

const real = detectCapabilities({ clock: systemClock, onFault: (error) => t.fail(error.message) });
t.teardown(() => real.icmp?.close());

/** Fields that the agent adds to a result and that the engines do not know. */
const runFields = { started_at: '2026-01-01T00:00:00.000Z', duration_ms: 1, disturbed: false, loop_lag_ms: 0 };

function run<T extends ProbeType>(
  type: T,
  spec: ProbeSpecs[T],
  parts: Partial<ProbeContext>,
): Promise<ProbeResults[T]> {
  return engines[type].run(spec, aContext({ icmp: new RecordingEngine(), ...parts }));
}

/** An answer as the control plane stores it: through the spool, a frame of the link, and the checks on its way in. */
function delivered(type: ProbeType, result: object): unknown {
  const resultJson = Buffer.from(JSON.stringify(result));
  const message = encodeResult({ taskId: 'pt_1', probeType: type, resultJson, finishedAtMs: 1 });
  const frame = encodeAgentFrame({ results: { first: 1, results: [decodeResult(message)] } });
  const [arrived] = decodeAgentFrame(frame).results?.results ?? [];
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(arrived?.resultJson));
}

const schemas = new Map(probeTypeNames.map((type) => [type, compileSchema(agentResultSchema(type))]));

function checkResult(t: Test, type: ProbeType, result: object): void {
  const complete = { ...result, ...runFields };
  const arrived = delivered(type, complete);
  t.strictSame(arrived, complete, 'it survives its way to the control plane');
  const checked = schemas.get(type)?.(arrived);
  t.match(checked, { ok: true }, 'the result is of its schema');
  t.equal(findUnstorableText(arrived), null, 'and can be stored');
}

/** Counts the resources that exist before an engine runs; `check` waits until no more than that are left. */
async function watchLeaks(t: Test, parts: { clock?: FakeClock; icmp?: RecordingEngine; signal?: AbortSignal }) {
  // what tests before this one closed is still counted in this turn
  await turns();
  const sockets = openSockets();
  const timers = openTimers();
  return async () => {
    await until('no socket is left', () => openSockets() <= sockets);
    await until('no timer is left', () => openTimers() <= timers);
    t.equal(parts.clock?.pendingTimers ?? 0, 0, 'no timer is left on the clock');
    t.equal(parts.icmp?.openFlows ?? 0, 0, 'no flow of raw packets is left');
    t.equal(parts.signal ? getEventListeners(parts.signal, 'abort').length : 0, 0, 'nothing listens to the signal');
  };
}

async function silentDns(
  t: Test,
  clock: FakeClock,
): Promise<Pick<ProbeContext, 'resolver' | 'clock'> & { dns: TestDnsServer }> {
  const dns = await startDnsServer(t, () => null);
  return { dns, clock, resolver: aResolver([dns.endpoint], { clock }) };
}

for (const type of probeTypeNames) {
  const trial = await trialOf(type);
  const skip = definitionOf(type).capability !== null && missing('raw sockets');
  const options = { skip };

  t.test(`engine ${type} refuses an address that is not allowed`, async (t) => {
    const icmp = new RecordingEngine();
    const checkLeaks = await watchLeaks(t, { icmp });
    const result = await run(type, trial.refused, { policy: aPolicy([]), icmp });
    t.match(result, { success: false, error: { code: 'target_not_allowed' } });
    t.equal(icmp.sent.length, 0);
    checkResult(t, type, result);
    await checkLeaks();
  });

  for (const addresses of [['10.0.0.1'], ['127.0.0.1', '10.0.0.1']]) {
    t.test(`engine ${type} refuses a name that leads to ${addresses.join(' and ')}`, async (t) => {
      const records = addresses.map((data) => ({ type: 'A', name: 'site.example.com', data }) as const);
      const dns = await startDnsServer(t, zone(records));
      const resolver = aResolver([dns.endpoint], { customServerPort: 1 });
      for (const spec of trial.contacts) {
        const icmp = new RecordingEngine();
        const checkLeaks = await watchLeaks(t, { icmp });
        const result = await run(type, spec, { resolver, icmp });
        t.match(result, { success: false, error: { code: 'target_not_allowed' } });
        t.equal(icmp.sent.length, 0);
        checkResult(t, type, result);
        await checkLeaks();
      }
    });
  }

  t.test(
    `engine ${type} asks for a name once, and stays with what was judged when it turns private`,
    options,
    async (t) => {
      const spec = await trial.answered(t);
      // the own name of each is the target's, or that of the server it asks
      const byName = JSON.parse(JSON.stringify(spec).replace('127.0.0.1', 'turning.example.com')) as typeof spec;
      let answers = 0;
      const dns = await startDnsServer(t, ({ name, type }) => {
        if (type !== 'A') return {};
        answers += 1;
        return { answers: [{ type: 'A', name, data: answers === 1 ? '127.0.0.1' : '10.0.0.1' }] };
      });
      const result = await run(type, byName, { icmp: real.icmp, resolver: aResolver([dns.endpoint]) });
      t.match(result, { success: true, error: null });
      t.equal(dns.queries.filter(({ type }) => type === 'A').length, 1);
      t.match(await run(type, byName, { icmp: real.icmp, resolver: aResolver([dns.endpoint]) }), {
        success: false,
        error: { code: 'target_not_allowed' },
      });
    },
  );

  t.test(`engine ${type} measures what answers`, options, async (t) => {
    const spec = await trial.answered(t);
    const { signal } = new AbortController();
    const checkLeaks = await watchLeaks(t, { signal });
    const result = await run(type, spec, { icmp: real.icmp, signal });
    t.match(result, { success: true, error: null });
    checkResult(t, type, result);
    await checkLeaks();
  });

  for (const code of ['cancelled', 'timeout'] as const) {
    t.test(`engine ${type} stops on abort (${code}) without waiting for any timer`, async (t) => {
      const clock = new FakeClock();
      const { dns, resolver } = await silentDns(t, clock);
      const abort = new AbortController();
      const checkLeaks = await watchLeaks(t, { clock, signal: abort.signal });
      const running = run(type, trial.named, { signal: abort.signal, clock, resolver });
      await until('it has begun', () => dns.queries.length > 0);
      abort.abort(new ProbeFailure(code, 'the end'));
      const result = await running;
      // a deadline may name the phase it ended
      t.match(result, { success: false, error: { code: code === 'timeout' ? /^(timeout|dns_timeout)$/ : code } });
      checkResult(t, type, result);
      await checkLeaks();
    });
  }

  t.test(`engine ${type} stops in the middle of its measurement without waiting for any timer`, async (t) => {
    const spec = await trial.silent(t);
    const clock = new FakeClock();
    const icmp = new RecordingEngine(clock);
    const abort = new AbortController();
    const checkLeaks = await watchLeaks(t, { clock, icmp, signal: abort.signal });
    const running = run(type, spec, { signal: abort.signal, clock, icmp });
    // wherever that leads it to: connecting, or waiting for an answer
    await turns();
    abort.abort(new ProbeFailure('cancelled', 'the end'));
    const result = await running;
    t.match(result, { success: false, error: { code: 'cancelled' } });
    checkResult(t, type, result);
    await checkLeaks();
  });

  t.test(`engine ${type} ends by its deadline without a response`, async (t) => {
    const spec = await trial.silent(t);
    const clock = new FakeClock();
    const icmp = new RecordingEngine(clock);
    const checkLeaks = await watchLeaks(t, { icmp });
    const onEngineFault = (_type: string, error: unknown) => t.fail(String(error));
    const policy = { current: () => aPolicy() };
    const runner = new ProbeRunner({ ...aContext({ clock, icmp }), engines, policy, onEngineFault });
    const deadlineMs = definitionOf(type).deadlineMs(spec);
    let result: RunResult | null = null;
    void runner.run({ id: 'pt_1', type, spec, deadlineMs }).then((answer) => {
      result = answer;
    });
    await turns();
    // to the deadline and not beyond: an engine that needs its grace never answers here
    while (result === null && clock.monotonicMs() < deadlineMs) {
      clock.advance(Math.min(clock.nextMs ?? deadlineMs, deadlineMs - clock.monotonicMs()));
      await turns();
    }
    await until('it answers', () => result !== null);
    t.match(result, { success: false, error: { code: /timeout|no_reply/ } });
    await checkLeaks();
  });

  t.test(`engine ${type} begins nothing under a signal that has fired`, async (t) => {
    const { dns, resolver } = await silentDns(t, new FakeClock());
    const icmp = new RecordingEngine();
    const result = await run(type, trial.named, {
      signal: AbortSignal.abort(new ProbeFailure('cancelled', 'before')),
      resolver,
      icmp,
    });
    t.match(result, { success: false, error: { code: 'cancelled' } });
    checkResult(t, type, result);
    t.equal(dns.queries.length, 0);
    t.equal(icmp.sent.length, 0);
  });
}
