import { nullable } from '@vantage/shared/nullable.js';
import { type LookedUpRecordType, lookedUpRecordTypes, records } from '@vantage/shared/probe-types/records.js';
import { type Static, Type } from 'typebox';
import { nodeLookup } from './lookup.js';
import { hostText, MAX_Q, readDomain, unicodeDomain } from './read-q.js';
import { thirdPartyFailed } from './third-party.js';

const LEAST_FRESH_S = 30;
const MOST_FRESH_S = 300;

const { records: recordList, rcode, authenticated_data, errors } = records.Result.properties;

const Data = Type.Object(
  {
    domain: Type.String({ description: 'Name that was queried, in A-labels.' }),
    unicode_domain: nullable(Type.String(), 'The name in Unicode.'),
    records: recordList,
    rcode,
    authenticated_data,
    errors,
    node: Type.Object(
      {
        country: nullable(Type.String(), 'ISO 3166-1 alpha-2.'),
        asn: nullable(Type.Integer(), 'Number of its network.'),
      },
      { additionalProperties: false, description: 'Place and network of the node whose resolver was asked.' },
    ),
  },
  { additionalProperties: false, title: 'DnsLookup' },
);

/** Records of a name, as the lookup returns them. */
export type DnsAnswer = Static<typeof Data>;

/** Records of a name, of all types at once. */
export const dns = nodeLookup({
  kind: 'dns',
  summary: 'Get the DNS records of a domain',
  description:
    'Records of a name as the resolver of a node returns them: all types at once, or one. ANY means all types, and is never sent to a server (RFC 8482). A name that does not exist has no records and the rcode NXDOMAIN. The operation is unavailable only when every type failed. An answer is fresh for its smallest TTL, 30 to 300 seconds.',
  options: {
    type: Type.Optional(
      Type.Enum(['', 'ANY', ...lookedUpRecordTypes], {
        type: 'string',
        description: 'Record type; default, empty and ANY: all of them.',
      }),
    ),
  },
  qDescription: `A domain without scheme, at most ${MAX_Q} characters.`,
  qExample: 'example.com',
  Data,
  version: 1,
  deadlineMs: 10_000,
  staleMs: 0,
  measures: 'records',
  readQuestion({ q, type = '' }, policy) {
    const host = readDomain(q, policy);
    const wanted = type === '' || type === 'ANY' ? null : type;
    return { text: `${host.name} type=${wanted ?? 'all'}`, host, options: { type: wanted } };
  },
  specOf: ({ host, options: { type } }) => ({
    target: hostText(host),
    // the schema of the query has only these types
    params: { timeout_ms: 8_000, ...(type === null ? {} : { type: type as LookedUpRecordType }) },
  }),
  judge(result, { node: { country, asn } }) {
    const { error, records: found, errors: failures, domain, rcode: code, authenticated_data: isSigned } = result;
    if (error !== null && code === null) return thirdPartyFailed(error.message);
    const name = domain ?? '';
    const data = {
      domain: name,
      unicode_domain: unicodeDomain(name),
      records: found,
      rcode: code,
      authenticated_data: isSigned,
      errors: failures,
      node: { country, asn },
    };
    const negative = result.negative_ttl_s === null || found.length > 0 ? [] : [result.negative_ttl_s];
    const ttl = Math.min(MOST_FRESH_S, ...found.map((record) => record.ttl), ...negative);
    return { isFailure: false, data, freshMs: 1_000 * Math.max(LEAST_FRESH_S, ttl) };
  },
});
