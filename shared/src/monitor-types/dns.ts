import { type Static, Type } from 'typebox';
import { checkAssertions } from '../assertions/check.js';
import { noFacts } from '../assertions/facts.js';
import { type Failure, failureOf } from '../assertions/failures.js';
import { shownValue } from '../assertions/shown.js';
import { type ProbeResults, type ProbeSpecs, probeTypes } from '../probe-types/index.js';
import { meaningsShown, meaningsWritten } from '../record-values/meanings.js';
import { parseHost } from '../target-policy/host.js';
import { malformed } from '../target-policy/target-error.js';
import type { CheckDetails } from './check-details.js';
import { commonFields } from './common-fields.js';
import type { CheckJudgment, MonitorTypeDefinition } from './definition.js';
import { judgeCheck } from './judgment.js';

const { properties: params } = probeTypes.dns.Params;

const Config = Type.Object(
  {
    record_type: params.record_type,
    server: params.server,
    port: params.port,
    transport: params.transport,
    expected: Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), {
      default: [],
      maxItems: 20,
      description:
        'Values that the records of the type must all include, in presentation format (RFC 1035) in any of its spellings; a text also without quotation marks, an MX also without its preference, an SRV also as host:port. If empty, one record with any value.',
    }),
    timeout_ms: params.timeout_ms,
    ...commonFields,
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

function toSpec(target: string, config: Config): ProbeSpecs['dns'] {
  const { record_type, server, port, transport, timeout_ms } = config;
  if (parseHost(target).kind === 'address' && record_type !== 'PTR')
    throw malformed('target', 'an address can only be queried with record type PTR');
  const optional = { ...(server === undefined ? {} : { server }), ...(port === undefined ? {} : { port }) };
  const own = { dnssec: false, trace: false, verify_tls: true };
  return { target, params: { record_type, ...optional, transport, ...own, timeout_ms } };
}

function judge(result: ProbeResults['dns'], config: Config): CheckJudgment {
  const facts = { ...noFacts, responseMs: result.query_ms };
  return judgeCheck({ error: result.error, facts, failures: recordFailures(result, config) }, config);
}

function recordFailures({ records }: ProbeResults['dns'], { record_type: type, expected }: Config): Failure[] {
  const found = records.filter((record) => type === 'ANY' || record.type === type);
  const shown = new Set(found.flatMap((record) => meaningsShown(record.type, record.value).map(of(record.type))));
  const miss = { found: found.map(({ value }) => value) };
  const failure = (wanted: string) =>
    failureOf({ subject: `the record set of type ${type}`, severity: 'down', expected: wanted }, miss, []);
  if (expected.length === 0) return shown.size === 0 ? [failure('a record')] : [];
  const types = type === 'ANY' ? [...new Set(found.map((record) => record.type))] : [type];
  const isFound = (text: string, one: string) =>
    meaningsWritten(one, text)
      .map(of(one))
      .some((key) => shown.has(key));
  const missing = expected.filter((text) => !types.some((one) => isFound(text, one)));
  return missing.map((text) => failure(`${shownValue(text, [])} among it`));
}

function of(type: string): (meaning: string) => string {
  return (meaning) => `${type} ${meaning}`;
}

/** Records of an answer that its details name. */
const MAX_LISTED_RECORDS = 20;

function details(result: ProbeResults['dns']): CheckDetails {
  const { rcode, resolver, transport, query_ms, flags, extended_errors, records } = result;
  const listed = records.slice(0, MAX_LISTED_RECORDS).map(({ name, type, ttl, value }) => ({ name, type, ttl, value }));
  return { rcode, resolver, transport, query_ms, flags, extended_errors, answers: records.length, records: listed };
}

/** A DNS question, and what must be among the answer. */
export const dns = {
  type: 'dns',
  title: 'DNS',
  summary: 'A DNS query, and the records that the response must contain',
  probeType: 'dns',
  capability: null,
  Config,
  secrecyOf: null,
  defaultIntervalSeconds: null,
  exampleTarget: 'example.com',
  exampleConfig: {},
  checkConfig: ({ assertions }: Config) => checkAssertions(assertions, { types: ['response_time'] }),
  toSpec,
  judge,
  details,
} satisfies MonitorTypeDefinition<typeof Config, 'dns'>;
