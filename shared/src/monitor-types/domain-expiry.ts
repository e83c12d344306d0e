import { type Static, Type } from 'typebox';
import { checkAssertions } from '../assertions/check.js';
import { noFacts } from '../assertions/facts.js';
import { type Failure, failureOf } from '../assertions/failures.js';
import { measurements, type ProbeResults, type ProbeSpecs } from '../probe-types/index.js';
import { parseHost } from '../target-policy/host.js';
import { malformed } from '../target-policy/target-error.js';
import type { FieldErrors } from '../validation.js';
import type { CheckDetails } from './check-details.js';
import { commonFields } from './common-fields.js';
import { daysUntil } from './days-until.js';
import type { CheckJudgment, MonitorTypeDefinition } from './definition.js';
import { checkExpiryConfig, expiryFailures, expiryFields } from './expiry.js';
import { judgeLookup } from './judgment.js';

const Config = Type.Object(
  { ...expiryFields, timeout_ms: measurements.domain.Params.properties.timeout_ms, ...commonFields },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

function checkConfig(config: Config): FieldErrors {
  return { ...checkAssertions(config.assertions, { types: ['response_time'] }), ...checkExpiryConfig(config) };
}

function toSpec(target: string, { timeout_ms }: Config): ProbeSpecs['domain'] {
  if (parseHost(target).kind === 'address') throw malformed('target', 'an address has no registration that expires');
  return { target, params: { timeout_ms } };
}

function judge(result: ProbeResults['domain'], config: Config, nowMs: number): CheckJudgment {
  const facts = { ...noFacts, responseMs: result.lookup_ms };
  return judgeLookup({ error: result.error, facts, failures: registrationFailures(result, config, nowMs) }, config);
}

/** A registry that publishes no date says nothing of the domain: that is worth reporting, and no outage. */
function registrationFailures(result: ProbeResults['domain'], config: Config, nowMs: number): Failure[] {
  const { registered, expires_at: expiresAt, source } = result;
  const subject = 'the registration of the domain';
  const expected = `more than ${config.critical_days} days of it`;
  if (registered === false)
    return [
      failureOf({ subject, severity: 'down', expected }, { came: 'does not exist: the name is not registered' }, []),
    ];
  const left = daysUntil(expiresAt, nowMs);
  if (left !== null) return expiryFailures('the registration of the domain', left, config);
  const reason = `its registry publishes no date by ${source?.protocol === 'whois' ? 'WHOIS' : 'RDAP'}`;
  return [failureOf({ subject, severity: 'degraded', expected }, { reason }, [])];
}

function details({ domain, registered, expires_at, source, asked }: ProbeResults['domain']): CheckDetails {
  const server = source?.server ?? asked.at(-1)?.server ?? null;
  return { domain, registered, expires_at, source: source?.protocol ?? null, server };
}

/** Remaining registration time of a domain. */
export const domain_expiry = {
  type: 'domain_expiry',
  title: 'Domain expiry',
  summary: 'Days until the registration of a domain ends',
  probeType: 'domain',
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
} satisfies MonitorTypeDefinition<typeof Config, 'domain'>;
