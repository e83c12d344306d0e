import { type Static, Type } from 'typebox';
import { checkAssertions } from '../assertions/check.js';
import { noFacts } from '../assertions/facts.js';
import { type Failure, failureOf } from '../assertions/failures.js';
import { shownValue } from '../assertions/shown.js';
import { type ProbeResults, type ProbeSpecs, probeTypes } from '../probe-types/index.js';
import { sslPort } from '../probe-types/ssl.js';
import { roundMs } from '../probe-types/statistics.js';
import type { FieldErrors } from '../validation.js';
import type { CheckDetails } from './check-details.js';
import { commonFields } from './common-fields.js';
import { type Remaining, remainingOf } from './days-until.js';
import type { CheckJudgment, MonitorTypeDefinition } from './definition.js';
import { checkExpiryConfig, expiryFailures, expiryFields } from './expiry.js';
import { judgeCheck } from './judgment.js';

const { properties: params } = probeTypes.ssl.Params;

const Config = Type.Object(
  {
    ...expiryFields,
    port: params.port,
    server_name: params.server_name,
    ip_version: params.ip_version,
    timeout_ms: params.timeout_ms,
    ...commonFields,
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

function checkConfig(config: Config): FieldErrors {
  const errors = checkAssertions(config.assertions, { types: ['response_time', 'ssl_days_remaining'] });
  return { ...errors, ...checkExpiryConfig(config) };
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
  const remaining = remainingOf(result, nowMs);
  const facts = { ...noFacts, responseMs, ...remaining };
  return judgeCheck({ error: result.error, facts, failures: daysFailures(remaining, config) }, config);
}

function daysFailures({ daysRemaining: left, endsFirst }: Remaining, config: Config): Failure[] {
  const what = endsFirst === null ? 'the certificate' : `the certificate of the authority ${shownValue(endsFirst, [])}`;
  if (left !== null) return expiryFailures(what, left, config);
  const subject = 'the number of days until the certificate ends';
  const miss = { reason: 'the server presented no certificate' };
  return [failureOf({ subject, severity: 'down', expected: `more than ${config.critical_days}` }, miss, [])];
}

function details({
  resolved_ip,
  ip_version,
  port,
  timing,
  valid,
  not_after,
  ends_first,
  issuer,
  subject,
  protocol,
}: ProbeResults['ssl']): CheckDetails {
  return { resolved_ip, ip_version, port, timing, valid, not_after, ends_first, issuer, subject, protocol };
}

/** Remaining validity of the certificate of a TLS server. */
export const ssl_expiry = {
  type: 'ssl_expiry',
  title: 'SSL expiry',
  summary: 'Days until the certificate of a TLS server expires',
  probeType: 'ssl',
  capability: null,
  Config,
  secrecyOf: null,
  defaultIntervalSeconds: 1800,
  exampleTarget: 'example.com',
  exampleConfig: {},
  checkConfig,
  toSpec,
  judge,
  details,
} satisfies MonitorTypeDefinition<typeof Config, 'ssl'>;
