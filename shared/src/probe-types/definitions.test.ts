import t from 'tap';
import { TargetPolicy } from '../target-policy/policy.js';
import { checkSpec } from '../target-policy/spec.js';
import { compileSchema } from '../validation.js';
import { ProbeErrorSchema, probeErrorCodes } from './error-codes.js';
import { failedResult } from './failed-result.js';
import { isProbeType, type ProbeSpecs, type ProbeType, probeTypeNames, probeTypes } from './index.js';
import { agentResultSchema } from './node-result.js';

/** The spec of a type's example with all defaults, or what was wrong with it. */
function exampleSpec<T extends ProbeType>(type: T): ProbeSpecs[T] {
  const validation = compileSchema(probeTypes[type].Spec)({ target: probeTypes[type].exampleTarget, params: {} });
  if (!validation.ok) throw new Error(JSON.stringify(validation.details));
  return validation.value as ProbeSpecs[T];
}

t.test('each type is listed under its own name', async (t) => {
  for (const type of probeTypeNames) {
    t.equal(probeTypes[type].type, type);
    t.equal(isProbeType(type), true);
  }
  for (const name of ['', 'HTTP', 'quic', '__proto__', 'constructor', 'toString'])
    t.equal(isProbeType(name), false, name);
});

t.test('the form of a type has parameters of the type', async (t) => {
  for (const type of probeTypeNames)
    for (const name of probeTypes[type].formParams) t.ok(name in probeTypes[type].Params.properties, `${type} ${name}`);
});

t.test('every example with its defaults is a spec the policy allows', async (t) => {
  const policy = new TargetPolicy({ allow: [], own: [], denied: [] });
  for (const type of probeTypeNames) t.doesNotThrow(() => checkSpec(type, exampleSpec(type), policy), type);
});

t.test('a failed result of every type is a result, and with its run fields one an agent may send', async (t) => {
  for (const type of probeTypeNames) {
    const result = failedResult(type, exampleSpec(type), { code: 'overload', message: 'busy' });
    t.match(compileSchema(probeTypes[type].Result)(structuredClone(result)), { ok: true }, type);
    const sent = {
      ...result,
      started_at: '2026-01-02T03:04:05.678Z',
      duration_ms: 0,
      disturbed: false,
      loop_lag_ms: 0,
    };
    const validateSent = compileSchema(agentResultSchema(type));
    t.match(validateSent(structuredClone(sent)), { ok: true }, type);
    t.match(validateSent({ ...structuredClone(sent), success: 'no' }), {
      ok: false,
      details: { success: [{ code: 'type' }] },
    });
    t.match(validateSent({ ...structuredClone(sent), node_id: 'n_1' }), {
      ok: false,
      details: { node_id: [{ code: 'unknown' }] },
    });
    t.match(validateSent({ ...structuredClone(sent), started_at: 'now' }), {
      ok: false,
      details: { started_at: [{ code: 'format' }] },
    });
    t.match(validateSent({ ...structuredClone(sent), duration_ms: -1 }), {
      ok: false,
      details: { duration_ms: [{ code: 'range' }] },
    });
  }
});

t.test('error codes are a closed list without repetition', async (t) => {
  t.equal(new Set(probeErrorCodes).size, probeErrorCodes.length);
  const validate = compileSchema(ProbeErrorSchema);
  for (const code of probeErrorCodes) t.equal(validate({ code, message: '' }).ok, true, code);
  t.equal(validate({ code: 'weather', message: '' }).ok, false);
  t.equal(validate({ code: 'timeout', message: 'x'.repeat(500) }).ok, true);
  t.equal(validate({ code: 'timeout', message: 'x'.repeat(501) }).ok, false);
  t.equal(validate({ code: 'timeout' }).ok, false);
});

t.test('a deadline is later than everything the parameters allow to take', async (t) => {
  const deadline = <T extends ProbeType>(type: T, params: Partial<ProbeSpecs[T]['params']>) => {
    const spec = exampleSpec(type);
    const definition: { deadlineMs(spec: ProbeSpecs[T]): number } = probeTypes[type] as never;
    return definition.deadlineMs({ ...spec, params: { ...spec.params, ...params } });
  };
  t.equal(deadline('http', { timeout_ms: 30_000 }), 30_000, 'http has one deadline over everything');
  t.ok(deadline('ping', { count: 50, interval_ms: 5000, timeout_ms: 10_000 }) > 49 * 5000 + 10_000);
  t.ok(deadline('dns', { timeout_ms: 10_000 }) > 10_000);
  t.ok(deadline('tcp', { count: 10, timeout_ms: 30_000 }) > 10 * 30_000);
  t.ok(deadline('smtp', { timeout_ms: 30_000 }) > 30_000);
  t.ok(deadline('ntp', { count: 8, interval_ms: 5000, timeout_ms: 10_000 }) > 7 * 5000 + 10_000);
  t.ok(deadline('speedtest', { duration_ms: 10_000, timeout_ms: 10_000 }) > 3 * 10_000 + 2 * 10_000 + 5000);
  t.ok(deadline('traceroute', { queries: 10, flows: 8, timeout_ms: 10_000 }) > 27 * 1000 + 10_000);
  t.ok(deadline('mtr', { cycles: 60, interval_ms: 5000, timeout_ms: 10_000 }) > 60 * 5000 + 10_000);
});
