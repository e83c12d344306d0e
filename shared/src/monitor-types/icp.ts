import { type Static, Type } from 'typebox';
import { checkAssertions } from '../assertions/check.js';
import { noFacts } from '../assertions/facts.js';
import { type Failure, failureOf } from '../assertions/failures.js';
import { shownValue } from '../assertions/shown.js';
import { measurements, type ProbeResults, type ProbeSpecs } from '../probe-types/index.js';
import { parseHost } from '../target-policy/host.js';
import { malformed } from '../target-policy/target-error.js';
import type { CheckDetails } from './check-details.js';
import { commonFields } from './common-fields.js';
import type { CheckJudgment, MonitorTypeDefinition } from './definition.js';
import { judgeLookup } from './judgment.js';

const Config = Type.Object(
  {
    icp_number: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Number that the filing must have, ignoring blanks; without it any filing is accepted.',
      }),
    ),
    timeout_ms: measurements.icp.Params.properties.timeout_ms,
    ...commonFields,
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

function toSpec(target: string, { timeout_ms }: Config): ProbeSpecs['icp'] {
  if (parseHost(target).kind === 'address') throw malformed('target', 'an address has no ICP filing');
  return { target, params: { timeout_ms } };
}

function judge(result: ProbeResults['icp'], config: Config): CheckJudgment {
  const facts = { ...noFacts, responseMs: result.lookup_ms };
  return judgeLookup({ error: result.error, facts, failures: filingFailures(result, config) }, config);
}

function filingFailures({ filing }: ProbeResults['icp'], { icp_number: wanted }: Config): Failure[] {
  const isWell = filing !== null && (wanted === undefined || plain(filing.icp_number) === plain(wanted));
  if (isWell) return [];
  const expected = wanted === undefined ? 'one' : shownValue(wanted, []);
  const miss = filing === null ? { came: 'does not exist' } : { found: filing.icp_number };
  return [failureOf({ subject: 'the ICP filing', severity: 'down', expected }, miss, [])];
}

/** People write blanks where registers have none, and full-width digits. */
function plain(icpNumber: string): string {
  return icpNumber.normalize('NFKC').replace(/\s/g, '').toUpperCase();
}

function details({ domain, filing }: ProbeResults['icp']): CheckDetails {
  return { domain, filing };
}

/** ICP filing of a domain. */
export const icp = {
  type: 'icp',
  title: 'ICP filing',
  summary: 'The ICP filing of a domain (mainland China)',
  probeType: 'icp',
  capability: null,
  Config,
  secrecyOf: null,
  defaultIntervalSeconds: 1800,
  exampleTarget: 'example.com',
  exampleConfig: {},
  checkConfig: ({ assertions }: Config) => checkAssertions(assertions, { types: ['response_time'] }),
  toSpec,
  judge,
  details,
} satisfies MonitorTypeDefinition<typeof Config, 'icp'>;
