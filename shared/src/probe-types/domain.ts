import { type Static, Type } from 'typebox';
import { nullable } from '../nullable.js';
import { type Host, parseHost } from '../target-policy/host.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import type { MeasurementDefinition } from './definition.js';
import { nullableMilliseconds, nullableString, outcomeFields, specOf, timeoutParam } from './fields.js';

/** Servers that one lookup asks at most, and blocks of addresses of one network that a result lists. */
export const MAX_ASKED_SERVERS = 8;
export const MAX_NETWORK_CIDRS = 64;
/** Entries of status and name servers that a result lists at most. */
export const MAX_REGISTRATION_ENTRIES = 32;

const Params = Type.Object(
  {
    skip_servers: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 260 }), {
        maxItems: 64,
        description: 'Registry servers, as `asked` of a result names them, that are not to be asked at present.',
      }),
    ),
    timeout_ms: timeoutParam(2000, 30000, 20000, 'Deadline of RDAP and WHOIS together, in milliseconds.'),
  },
  { additionalProperties: false },
);

const Spec = specOf('A domain name or an address.', Params);

const protocol = Type.Enum(['rdap', 'whois'], { type: 'string' });
const date = (description: string) => nullable(Type.String({ format: 'date-time' }), description);

const Network = Type.Object(
  {
    handle: nullableString('Identifier at the registry.'),
    name: nullableString('Name of the network at the registry.'),
    cidrs: Type.Array(Type.String(), { maxItems: MAX_NETWORK_CIDRS, description: 'Blocks of its range of addresses.' }),
    country: nullableString('ISO 3166-1 alpha-2.'),
    organization: nullableString('Organisation that holds it; null for a person.'),
    abuse_email: nullableString('Address for reports of abuse; null for the address of a person.'),
  },
  { additionalProperties: false },
);

const AskedServer = Type.Object(
  {
    protocol,
    server: Type.String({ description: 'Host, with its port where that is not the usual one.' }),
    outcome: Type.Enum(['answered', 'failed', 'refused', 'skipped'], {
      type: 'string',
      description:
        'refused: HTTP 429 or 503, or a text by which WHOIS servers refuse queries; skipped: named in params.skip_servers.',
    }),
    retry_after_s: nullable(
      Type.Integer({ minimum: 0, maximum: 86_400 }),
      'Seconds after which a server that refused may be asked again, in its own words; null if it does not say.',
    ),
  },
  { additionalProperties: false },
);

const Result = Type.Object(
  {
    ...outcomeFields,
    kind: Type.Union([Type.Enum(['domain', 'address'], { type: 'string' }), Type.Null()], {
      description: 'Kind of the target; null before it is known.',
    }),
    domain: nullableString('The registered domain of the target; null for an address, and before it is known.'),
    registered: nullable(Type.Boolean(), 'True if the domain or network is registered; null if that is unknown.'),
    registrar: nullableString('Name of the registrar.'),
    registrar_iana_id: nullable(Type.Integer({ minimum: 0 }), 'Number of the registrar at IANA.'),
    registrar_abuse_email: nullableString('Address of the registrar for reports of abuse.'),
    registrar_abuse_phone: nullableString('Telephone number of the registrar for reports of abuse.'),
    registered_at: date('Start of the registration; null if unknown.'),
    updated_at: date('Last change of the registration; null if unknown.'),
    expires_at: date('End of the registration; null if unknown.'),
    status: Type.Array(Type.String(), {
      maxItems: MAX_REGISTRATION_ENTRIES,
      description: 'Status in the spelling of RDAP (RFC 8056): `client transfer prohibited`.',
    }),
    name_servers: Type.Array(Type.String(), {
      maxItems: MAX_REGISTRATION_ENTRIES,
      description: 'Host names of the name servers at the registry, in its order.',
    }),
    dnssec_signed: nullable(Type.Boolean(), 'True if the registry has a DS record; null if unknown.'),
    registrant_organization: nullableString('Organisation that holds the domain; null for a person.'),
    registrant_country: nullableString('Country of the holder, ISO 3166-1 alpha-2.'),
    network: nullable(Network, 'Network of an address; null for a domain.'),
    source: nullable(
      Type.Object({ protocol, server: Type.String() }, { additionalProperties: false }),
      'Server that gave this data; null without data.',
    ),
    asked: Type.Array(AskedServer, { maxItems: MAX_ASKED_SERVERS, description: 'Registry servers, in order.' }),
    lookup_ms: nullableMilliseconds('Duration of all queries together.'),
  },
  { additionalProperties: false },
);

type DomainSpec = Static<typeof Spec>;
/** Network of an address as its registry has it. */
export type RegisteredNetwork = Static<typeof Network>;
/** Registry server that was asked, and its outcome. */
export type AskedRegistryServer = Static<typeof AskedServer>;

function targetHost({ target }: DomainSpec): Host {
  return parseHost(target);
}

function checkTarget(spec: DomainSpec, policy: TargetPolicy): void {
  policy.checkHost(targetHost(spec));
}

/** Registration of a domain or of an address: RDAP (RFC 9083), else WHOIS (RFC 3912). */
export const domain = {
  type: 'domain',
  capability: null,
  Params,
  Spec,
  Result,
  maxResultBytes: 128 * 1024,
  asksOthers: true,
  deadlineMs: ({ params }: DomainSpec) => params.timeout_ms + 2000,
  blank: () => ({
    kind: null,
    domain: null,
    ...blankRegistration(),
    source: null,
    asked: [],
    lookup_ms: null,
  }),
  targetHost,
  furtherHosts: () => [],
  checkTarget,
} satisfies MeasurementDefinition<typeof Spec, typeof Result> & { readonly Params: typeof Params };

/** A registration of which nothing is known. */
export function blankRegistration() {
  return {
    registered: null,
    registrar: null,
    registrar_iana_id: null,
    registrar_abuse_email: null,
    registrar_abuse_phone: null,
    registered_at: null,
    updated_at: null,
    expires_at: null,
    status: [],
    name_servers: [],
    dnssec_signed: null,
    registrant_organization: null,
    registrant_country: null,
    network: null,
  };
}
