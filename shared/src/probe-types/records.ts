import { type Static, Type } from 'typebox';
import { nullable } from '../nullable.js';
import { MAX_RESULT_BYTES } from '../protocol/limits.js';
import { type Host, parseHost } from '../target-policy/host.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import { malformed } from '../target-policy/target-error.js';
import type { MeasurementDefinition } from './definition.js';
import { probeErrorCodes } from './error-codes.js';
import { nullableMilliseconds, nullableString, outcomeFields, specOf, timeoutParam } from './fields.js';

/** Record types that are queried where none is named, in the order of a result. */
export const lookedUpRecordTypes = [
  'A',
  'AAAA',
  'CNAME',
  'MX',
  'NS',
  'SOA',
  'TXT',
  'CAA',
  'HTTPS',
  'DS',
  'DNSKEY',
] as const;

export type LookedUpRecordType = (typeof lookedUpRecordTypes)[number];

const recordType = Type.Enum([...lookedUpRecordTypes], { type: 'string' });

const Params = Type.Object(
  {
    type: Type.Optional(
      Type.Enum([...lookedUpRecordTypes], { type: 'string', description: 'Record type to query; default: all.' }),
    ),
    timeout_ms: timeoutParam(1000, 30000, 8000, 'Deadline of all queries together, in milliseconds.'),
  },
  { additionalProperties: false },
);

const Spec = specOf('A domain name.', Params);

const Record = Type.Object(
  {
    name: Type.String({ description: 'Without the final dot; `hidden` as for `dns` probes.' }),
    type: recordType,
    value: Type.String({ description: 'Presentation format, with `hidden` as for `dns` probes.' }),
    ttl: Type.Integer({ minimum: 0, description: 'Seconds.' }),
  },
  { additionalProperties: false },
);

const Result = Type.Object(
  {
    ...outcomeFields,
    domain: nullableString('Name that was queried, in A-labels; null before it is known.'),
    records: Type.Array(Record, {
      maxItems: 1000,
      description: 'Records of all responses, each once, by type in the order of the query, then by value.',
    }),
    rcode: nullableString('NXDOMAIN if the name does not exist, otherwise NOERROR; null without a response.'),
    authenticated_data: nullable(
      Type.Boolean(),
      'True if the resolver reports for every response that it validated it (AD); null without a response.',
    ),
    negative_ttl_s: nullable(
      Type.Integer({ minimum: 0 }),
      'Seconds for which the absence of records may be cached (RFC 2308): the least of all such responses.',
    ),
    errors: Type.Array(
      Type.Object(
        { type: recordType, code: Type.Enum([...probeErrorCodes], { type: 'string' }) },
        { additionalProperties: false },
      ),
      { maxItems: lookedUpRecordTypes.length, description: 'Types without a valid response.' },
    ),
    lookup_ms: nullableMilliseconds('Time from the first query to the last response.'),
  },
  { additionalProperties: false },
);

type RecordsSpec = Static<typeof Spec>;

function targetHost({ target }: RecordsSpec): Host {
  return parseHost(target);
}

function checkTarget(spec: RecordsSpec, policy: TargetPolicy): void {
  const host = targetHost(spec);
  policy.checkHost(host);
  if (host.kind === 'address') throw malformed('target', 'an address has no records of its own');
}

/** Records of a name, all types at once. */
export const records = {
  type: 'records',
  capability: null,
  Params,
  Spec,
  Result,
  maxResultBytes: MAX_RESULT_BYTES,
  asksOthers: true,
  deadlineMs: ({ params }: RecordsSpec) => params.timeout_ms + 2000,
  blank: () => ({
    domain: null,
    records: [],
    rcode: null,
    authenticated_data: null,
    negative_ttl_s: null,
    errors: [],
    lookup_ms: null,
  }),
  targetHost,
  furtherHosts: () => [],
  checkTarget,
} satisfies MeasurementDefinition<typeof Spec, typeof Result> & { readonly Params: typeof Params };
