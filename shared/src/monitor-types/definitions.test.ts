import fc from 'fast-check';
import t from 'tap';
import { rounds } from '../_support/rounds.js';
import type { Assertion } from '../assertions/schema.js';
import { probeErrorCodes } from '../probe-types/error-codes.js';
import { measurements } from '../probe-types/index.js';
import { TargetPolicy } from '../target-policy/policy.js';
import { checkSpec } from '../target-policy/spec.js';
import { parseHttpUrl } from '../target-policy/url.js';
import { isStorableText } from '../text.js';
import { compileSchema } from '../validation.js';
import { arbitraryOf } from './_support/arbitrary-of.js';
import { checkErrorCodes } from './definition.js';
import { isMonitorType, type MonitorType, monitorTypeNames, monitorTypeOf } from './index.js';
import { parseTypeName, unsupportedMonitorTypes } from './type-names.js';

/** Settings of a type: those of its example, all defaults, and what a test adds. */
function aConfig(type: MonitorType, more: object = {}): Record<string, unknown> {
  const { Config, exampleConfig } = monitorTypeOf(type);
  const validation = compileSchema(Config)(structuredClone({ ...exampleConfig, ...more }));
  if (!validation.ok) throw new Error(JSON.stringify(validation.details));
  return validation.value as Record<string, unknown>;
}

t.test('each type is listed under its own name', async (t) => {
  const names = [
    'http',
    'https',
    'keyword',
    'json',
    'ping',
    'tcp',
    'dns',
    'traceroute',
    'ssl_expiry',
    'domain_expiry',
    'icp',
    'rbl',
    'browser',
  ];
  t.strictSame(monitorTypeNames, names);
  for (const type of monitorTypeNames) t.equal(monitorTypeOf(type).type, type);
  for (const name of ['', 'HTTP', 'heartbeat', '__proto__', 'toString']) t.equal(isMonitorType(name), false, name);
});

t.test('every example with its defaults is a probe that is valid and that the policy allows', async (t) => {
  const policy = new TargetPolicy({ allow: [], own: [], denied: [] });
  for (const type of monitorTypeNames) {
    const definition = monitorTypeOf(type);
    const config = aConfig(type);
    t.strictSame(definition.checkConfig(config), {}, `${type} checks`);
    const spec = definition.toSpec(definition.exampleTarget, config);
    t.match(compileSchema(measurements[definition.probeType].Spec)(structuredClone(spec)), { ok: true }, type);
    t.doesNotThrow(() => checkSpec(definition.probeType, spec, policy), type);
    t.equal(
      measurements[definition.probeType].capability,
      definition.capability,
      `${type} asks for what its probe needs`,
    );
  }
});

t.test('settings in the form in which they are stored are valid, and stay as they are', async (t) => {
  for (const type of monitorTypeNames) {
    const { Config, normalise = (config: unknown) => config } = monitorTypeOf(type);
    const stored = normalise(aConfig(type));
    t.match(compileSchema(Config)(structuredClone(stored)), { ok: true }, type);
    t.strictSame(normalise(stored as never), stored, type);
  }
});

t.test('every setting is described, bounded, and has a default, is optional or is in the example', async (t) => {
  for (const type of monitorTypeNames) {
    const { Config, exampleConfig } = monitorTypeOf(type);
    const { properties, required, additionalProperties } = Config as unknown as {
      properties: Record<string, Record<string, unknown>>;
      required?: string[];
      additionalProperties: boolean;
    };
    t.equal(additionalProperties, false, `${type} refuses what it does not know`);
    for (const [name, field] of Object.entries(properties)) {
      t.ok(field['description'], `${type}.${name} is described`);
      const isGiven = 'default' in field || !required?.includes(name) || name in exampleConfig;
      t.ok(isGiven, `${type}.${name} has a value`);
      const bound = { string: 'maxLength', array: 'maxItems', integer: 'maximum', number: 'maximum' };
      const needed = 'enum' in field ? undefined : bound[String(field['type']) as keyof typeof bound];
      if (needed !== undefined) t.ok(needed in field, `${type}.${name} is bounded`);
    }
  }
});

t.test('types with secrets state the nodes that may get them, and check a URL', async (t) => {
  for (const type of monitorTypeNames) {
    const { Config, secrecyOf, exampleTarget } = monitorTypeOf(type);
    const { properties } = Config as unknown as { properties: Record<string, unknown> };
    const isSecret = secrecyOf !== null;
    t.equal('allow_secrets_on' in properties, isSecret, `${type} has the setting where it has secrets`);
    if (!isSecret) continue;
    t.doesNotThrow(() => parseHttpUrl(exampleTarget), `${type} binds them to a URL`);
    t.ok(
      'resolver' in properties && 'verify_tls' in properties,
      `${type} binds them to how it is found and recognised`,
    );
  }
});

const assertions: Assertion[] = [
  { type: 'response_time', op: 'lt', value: 100, severity: 'degraded' },
  { type: 'status_code', op: 'in', value: [200, 500], severity: 'down' },
  { type: 'body_contains', op: 'contains', value: 'x', severity: 'down' },
  { type: 'body_regex', op: 'regex', value: '[a-c]$', severity: 'down' },
  { type: 'json_path', op: 'eq', value: { a: 1 }, path: '$.a', severity: 'down' },
  { type: 'header_value', op: 'eq', value: 'x', name: 'a', severity: 'down' },
  { type: 'ssl_days_remaining', op: 'gte', value: 14, severity: 'down' },
];

t.test(
  'every result that is valid by its schema is judged without an exception, into text that can be stored',
  async (t) => {
    for (const type of monitorTypeNames) {
      const definition = monitorTypeOf(type);
      const { Result } = measurements[definition.probeType];
      const isResult = compileSchema(Result);
      fc.assert(
        fc.property(arbitraryOf(Result), fc.boolean(), fc.boolean(), (result, upside_down, isPlain) => {
          if (!isResult(structuredClone(result)).ok) throw new Error('no result');
          const config = aConfig(type, { upside_down, assertions: isPlain ? [] : assertions });
          const { outcome, error } = definition.judge(result as never, config, Date.UTC(2026, 0));
          if (error === null) return outcome === 'ok';
          return (
            outcome !== 'ok' &&
            error.message !== undefined &&
            error.message.length <= 500 &&
            isStorableText(error.message)
          );
        }),
        { numRuns: rounds(300), interruptAfterTimeLimit: 3000 },
      );
      t.pass(type);
    }
  },
);

t.test('the reasons that only checks have are not among the reasons of probes', async (t) => {
  for (const code of checkErrorCodes) t.notOk((probeErrorCodes as readonly string[]).includes(code), code);
});

t.test(
  'upside down, failures are ok and successes fail; results without information about the target still fail',
  async (t) => {
    const judge = (result: object, more: object = {}) =>
      monitorTypeOf('tcp').judge(
        { success: true, error: null, connect_ms: 12, ...result } as never,
        aConfig('tcp', { upside_down: true, ...more }),
        0,
      );
    t.match(judge({}), { outcome: 'failed', responseMs: 12, error: { code: 'expected_to_fail' } });
    const refused = { success: false, connect_ms: null, error: { code: 'tcp_refused', message: 'refused' } };
    t.strictSame(judge(refused), { outcome: 'ok', responseMs: null, statusCode: null, error: null });
    for (const code of ['overload', 'cancelled', 'internal', 'node_lost', 'not_supported', 'target_not_allowed'])
      t.match(judge({ ...refused, error: { code, message: '' } }), { outcome: 'failed', error: { code } }, code);
    const slow = [{ type: 'response_time', op: 'lt', value: 10, severity: 'degraded' }];
    t.match(judge({}, { assertions: slow }), { outcome: 'degraded', error: { code: 'assertion_failed' } });
  },
);

t.test('an assertion about what a type does not measure is refused', async (t) => {
  const measured = {
    ping: ['response_time'],
    tcp: ['response_time'],
    dns: ['response_time'],
    traceroute: ['response_time'],
    ssl_expiry: ['response_time', 'ssl_days_remaining'],
    domain_expiry: ['response_time'],
    icp: ['response_time'],
    rbl: ['response_time'],
    browser: ['response_time', 'status_code'],
  };
  for (const type of monitorTypeNames) {
    const errors = monitorTypeOf(type).checkConfig(aConfig(type, { assertions }));
    const known: readonly string[] = measured[type as keyof typeof measured] ?? assertions.map((one) => one.type);
    const refused = assertions.flatMap((one, i) => (known.includes(one.type) ? [] : `assertions.${i}.type`));
    t.strictSame(Object.keys(errors), refused, type);
  }
});

t.test('every synonym of a type has its canonical name, including unsupported types', async (t) => {
  const canonical =
    'http https ping tcp dns traceroute ssl_expiry domain_expiry keyword json icp rbl browser heartbeat llm_endpoint tool_api rag';
  for (const name of canonical.split(' ')) t.equal(parseTypeName(name), name);
  t.equal(parseTypeName('tcping'), 'tcp');
  t.equal(parseTypeName('ssl'), 'ssl_expiry');
  t.equal(parseTypeName('domain'), 'domain_expiry');
  for (const name of ['', 'HTTP', 'quic', '__proto__', 'constructor']) t.equal(parseTypeName(name), null, name);
  t.strictSame(unsupportedMonitorTypes, ['llm_endpoint', 'tool_api', 'rag']);
});
