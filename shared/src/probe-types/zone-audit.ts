import { type Static, Type } from 'typebox';
import { nullable } from '../nullable.js';
import { MAX_RESULT_BYTES } from '../protocol/limits.js';
import { type Host, parseHost } from '../target-policy/host.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import { malformed } from '../target-policy/target-error.js';
import type { MeasurementDefinition } from './definition.js';
import { nullableMilliseconds, nullableString, outcomeFields, specOf, timeoutParam } from './fields.js';

/** Every finding of a zone audit: a closed list. */
export const zoneFindingCodes = [
  'single_ns',
  'ns_one_network',
  'ns_lame',
  'ns_unreachable',
  'parent_child_differ',
  'glue_missing',
  'serials_differ',
  'soa_timers',
  'cname_at_apex',
  'mx_is_cname',
  'mx_missing_address',
  'dnssec_bogus',
  'ds_without_dnskey',
  'no_caa',
  'no_spf',
  'several_spf',
  'no_dmarc',
  'wildcard',
] as const;

export type ZoneFindingCode = (typeof zoneFindingCodes)[number];

/** Outcomes of the question for the SOA record to one name server. */
export const nameServerOutcomes = {
  answer: 'the server serves the zone',
  lame: 'the server responds, but does not serve the zone',
  timeout: 'the server did not respond in time',
  unreachable: 'nothing listens at its address, or it is unreachable',
  unresolved: 'its name has no address',
  not_allowed: 'the target policy refuses its address',
  untried: 'it was not queried: only the first ones are, and IPv6 only on nodes that have it',
} as const;

export type NameServerOutcome = keyof typeof nameServerOutcomes;

/** Name servers that are queried, and entries of a list of facts. */
export const MAX_AUDITED_SERVERS = 6;
export const MAX_FACT_ENTRIES = 32;

const Params = Type.Object(
  { timeout_ms: timeoutParam(2000, 30000, 15000, 'Deadline of all queries together, in milliseconds.') },
  { additionalProperties: false },
);

const Spec = specOf('A domain name.', Params);

const code = Type.Enum([...zoneFindingCodes], { type: 'string' });
const names = (description: string) => Type.Array(Type.String(), { maxItems: MAX_FACT_ENTRIES, description });
const count = Type.Integer({ minimum: 0 });

const Fact = Type.Union([
  Type.String(),
  Type.Integer(),
  Type.Array(Type.Union([Type.String(), Type.Integer()]), { maxItems: MAX_FACT_ENTRIES }),
]);

const Finding = Type.Object(
  {
    code,
    facts: Type.Record(Type.String(), Fact, { maxProperties: 16, description: 'Data that the finding rests on.' }),
  },
  { additionalProperties: false },
);

const NameServer = Type.Object(
  {
    name: Type.String(),
    address: nullableString('Address that was queried; null if none was.'),
    outcome: Type.Enum(Object.keys(nameServerOutcomes) as NameServerOutcome[], { type: 'string' }),
    serial: nullable(count, 'Serial number of its SOA record.'),
  },
  { additionalProperties: false },
);

const Soa = Type.Object(
  { serial: count, refresh: count, retry: count, expire: count, minimum: count },
  { additionalProperties: false },
);

const Result = Type.Object(
  {
    ...outcomeFields,
    domain: nullableString('The registered domain of the target, which is the audited zone; null before it is known.'),
    findings: Type.Array(Finding, {
      maxItems: zoneFindingCodes.length,
      description: 'In the order of the list of codes.',
    }),
    unjudged: Type.Array(code, {
      maxItems: zoneFindingCodes.length,
      description: 'Codes that could not be judged, for lack of responses or because the resolver does not validate.',
    }),
    parent_name_servers: names('Name servers in the delegation by the parent zone.'),
    name_servers: names('Name servers in the zone itself.'),
    servers: Type.Array(NameServer, { maxItems: MAX_FACT_ENTRIES }),
    soa: nullable(Soa, 'SOA record of the first server that serves the zone.'),
    signed: nullable(Type.Boolean(), 'True if the parent zone has a DS record; null if unknown.'),
    queries: Type.Integer({ minimum: 0, maximum: 32, description: 'DNS queries that were sent.' }),
    lookup_ms: nullableMilliseconds('Duration of all queries together.'),
  },
  { additionalProperties: false },
);

type ZoneAuditSpec = Static<typeof Spec>;
/** A finding and the data that it rests on. */
export type ZoneFinding = Static<typeof Finding>;
/** Numbers of a SOA record (RFC 1035 section 3.3.13), in seconds but for the serial number. */
export type SoaNumbers = Static<typeof Soa>;

function targetHost({ target }: ZoneAuditSpec): Host {
  return parseHost(target);
}

function checkTarget(spec: ZoneAuditSpec, policy: TargetPolicy): void {
  const host = targetHost(spec);
  policy.checkHost(host);
  if (host.kind === 'address') throw malformed('target', 'an address has no zone of its own');
}

/** Faults of a zone and of its delegation. */
export const zone_audit = {
  type: 'zone_audit',
  capability: null,
  Params,
  Spec,
  Result,
  maxResultBytes: MAX_RESULT_BYTES,
  asksOthers: true,
  deadlineMs: ({ params }: ZoneAuditSpec) => params.timeout_ms + 2000,
  blank: () => ({
    domain: null,
    findings: [],
    unjudged: [],
    parent_name_servers: [],
    name_servers: [],
    servers: [],
    soa: null,
    signed: null,
    queries: 0,
    lookup_ms: null,
  }),
  targetHost,
  furtherHosts: () => [],
  checkTarget,
} satisfies MeasurementDefinition<typeof Spec, typeof Result> & { readonly Params: typeof Params };
