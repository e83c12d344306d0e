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
import type { CheckJudgment, MonitorTypeDefinition } from './definition.js';
import { judgeCheck, judgeLookup } from './judgment.js';

const { properties: params } = measurements.rbl.Params;

const Config = Type.Object(
  { zones: params.zones, timeout_ms: params.timeout_ms, ...commonFields },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

function checkConfig({ zones = [], assertions }: Config): FieldErrors {
  const errors = checkAssertions(assertions, { types: ['response_time'] });
  for (const [i, zone] of zones.entries()) {
    if (!isZone(zone)) errors[`zones.${i}`] = [{ code: 'format', message: 'is not the name of a DNS zone' }];
  }
  return errors;
}

function isZone(zone: string): boolean {
  try {
    return parseHost(zone).kind === 'name';
  } catch {
    return false;
  }
}

function toSpec(target: string, { zones, timeout_ms }: Config): ProbeSpecs['rbl'] {
  if (target.includes('/')) throw malformed('target', 'it is neither a name nor an address');
  parseHost(target);
  return { target, params: { ...(zones === undefined ? {} : { zones }), timeout_ms } };
}

function judge(result: ProbeResults['rbl'], config: Config): CheckJudgment {
  const { error, lookups, lookup_ms: responseMs } = result;
  const measured = { error, facts: { ...noFacts, responseMs }, failures: listings(result) };
  // a name that has no address is the target's own fault
  return lookups.length === 0 ? judgeCheck(measured, config) : judgeLookup(measured, config);
}

function listings({ lookups }: ProbeResults['rbl']): Failure[] {
  const listed = lookups.filter((lookup) => lookup.listed === true);
  return listed.map(({ zone, address, codes, reason }) => {
    const subject = `${address} in ${zone}`;
    const found = reason === null ? codes.join(', ') : `${codes.join(', ')}: ${reason}`;
    return failureOf({ subject, severity: 'down', expected: 'not to be listed' }, { found }, []);
  });
}

/** Listings that details name. */
const MAX_SHOWN_LISTINGS = 10;

function details({ lookups, lookup_ms }: ProbeResults['rbl']): CheckDetails {
  const listed = lookups.filter((lookup) => lookup.listed === true);
  return {
    lookup_ms,
    lookups: lookups.length,
    unanswered: lookups.filter((lookup) => lookup.listed === null).length,
    listed: listed.length,
    listings: listed
      .slice(0, MAX_SHOWN_LISTINGS)
      .map(({ zone, address, codes, reason }) => ({ zone, address, codes, reason })),
  };
}

/** DNS blocklists that list the target. */
export const rbl = {
  type: 'rbl',
  title: 'RBL',
  summary: 'Entries of DNS blocklists for an address, or for the addresses of a name',
  probeType: 'rbl',
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
} satisfies MonitorTypeDefinition<typeof Config, 'rbl'>;
