import { type Static, Type } from 'typebox';
import { checkAssertions } from '../assertions/check.js';
import { noFacts } from '../assertions/facts.js';
import { type Failure, failureOf } from '../assertions/failures.js';
import { type ProbeResults, type ProbeSpecs, probeTypes } from '../probe-types/index.js';
import { sslPort } from '../probe-types/ssl.js';
import { roundMs } from '../probe-types/statistics.js';
import type { FieldErrors } from '../validation.js';
import { commonFields } from './common-fields.js';
import { daysUntil } from './days-until.js';
import type { CheckJudgment, MonitorTypeDefinition } from './definition.js';
import { judgeCheck } from './judgment.js';

const { properties: params } = probeTypes.ssl.Params;
const days = (fallback: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 365, default: fallback, description });

const Config = Type.Object(
  {
    warn_days: days(14, 'With so many days left, or fewer, the monitor is degraded.'),
    critical_days: days(3, 'With so many days left, or fewer, a check fails.'),
    port: params.port,
    server_name: params.server_name,
    ip_version: params.ip_version,
    timeout_ms: params.timeout_ms,
    ...commonFields,
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

function checkConfig({ warn_days: warn, critical_days: critical, assertions }: Config): FieldErrors {
  const errors = checkAssertions(assertions, { types: ['response_time', 'ssl_days_remaining'] });
  if (critical <= warn) return errors;
  return { ...errors, critical_days: [{ code: 'range', message: 'must not be more than warn_days' }] };
}

function toSpec(target: string, { port, server_name, ip_version, timeout_ms }: Config): ProbeSpecs['ssl'] {
  const optional = {
    ...(port === undefined ? {} : { port }),
    ...(server_name === undefined ? {} : { server_name }),
  };
  const spec = { target, params: { ...optional, ip_version, timeout_ms } };
  sslPort(spec);
  return spec;
}

function judge(result: ProbeResults['ssl'], config: Config, nowMs: number): CheckJudgment {
  const { tcp_ms: tcpMs, tls_ms: tlsMs } = result.timing;
  const responseMs = tcpMs === null || tlsMs === null ? null : roundMs(tcpMs + tlsMs);
  const daysRemaining = daysUntil(result.not_after, nowMs);
  const facts = { ...noFacts, responseMs, daysRemaining };
  return judgeCheck({ error: result.error, facts, failures: expiryFailures(daysRemaining, config) }, config);
}

function expiryFailures(left: number | null, { warn_days: warn, critical_days: critical }: Config): Failure[] {
  const subject = 'the number of days until the certificate ends';
  if (left === null) {
    const reason = 'there is no certificate';
    return [failureOf({ subject, severity: 'down', expected: `more than ${critical}` }, { reason }, [])];
  }
  if (left > warn) return [];
  const isCritical = left <= critical;
  const expected = `more than ${isCritical ? critical : warn}`;
  return [failureOf({ subject, severity: isCritical ? 'down' : 'degraded', expected }, { found: left }, [])];
}

/** How long the certificate of a TLS server is still good. */
export const ssl_expiry = {
  type: 'ssl_expiry',
  title: 'SSL expiry',
  summary: 'How many days the certificate of a TLS server is still good for',
  probeType: 'ssl',
  capability: null,
  Config,
  secrets: [],
  defaultIntervalSeconds: 1800,
  exampleTarget: 'example.com',
  exampleConfig: {},
  checkConfig,
  toSpec,
  judge,
} satisfies MonitorTypeDefinition<typeof Config, 'ssl'>;
