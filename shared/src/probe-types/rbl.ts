import { type Static, Type } from 'typebox';
import { type Host, parseHost } from '../target-policy/host.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import type { MeasurementDefinition } from './definition.js';
import { nullableMilliseconds, nullableString, outcomeFields, specOf, timeoutParam } from './fields.js';

/** Blocklists asked in one check at most, and addresses of the target that are looked up. */
export const MAX_ZONES = 8;
export const MAX_LISTED_ADDRESSES = 2;

const Params = Type.Object(
  {
    zones: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 180 }), {
        minItems: 1,
        maxItems: MAX_ZONES,
        uniqueItems: true,
        description: 'Blocklists to ask, by the names of their DNS zones; default: those its nodes are set up with.',
      }),
    ),
    timeout_ms: timeoutParam(1000, 30000, 10000, 'One deadline over all questions, in milliseconds.'),
  },
  { additionalProperties: false },
);

const Spec = specOf('An address, or a name whose addresses are looked up.', Params);

const Lookup = Type.Object(
  {
    zone: Type.String(),
    address: Type.String(),
    listed: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Null when the zone gave no answer that counts.',
    }),
    codes: Type.Array(Type.String(), { maxItems: 8, description: 'Addresses in 127.0.0.0/8 that it answered with.' }),
    reason: nullableString('What its TXT record says.'),
    error: nullableString('Why there is no answer that counts.'),
  },
  { additionalProperties: false },
);

const Result = Type.Object(
  {
    ...outcomeFields,
    lookups: Type.Array(Lookup, { maxItems: MAX_ZONES * MAX_LISTED_ADDRESSES }),
    lookup_ms: nullableMilliseconds('From the first question to the last answer of the zones.'),
  },
  { additionalProperties: false },
);

type RblSpec = Static<typeof Spec>;
/** What one zone says of one address. */
export type RblLookup = Static<typeof Lookup>;

function targetHost({ target }: RblSpec): Host {
  return parseHost(target);
}

function checkTarget(spec: RblSpec, policy: TargetPolicy): void {
  policy.checkHost(targetHost(spec));
  // a name in them, not a server that anything is sent to: the resolver is asked
  for (const zone of spec.params.zones ?? []) checkZone(zone, policy);
}

function checkZone(zone: string, policy: TargetPolicy): void {
  const field = 'params.zones';
  policy.checkHost(parseHost(zone, field), field);
}

/** Whether blocklists in DNS have an address. RFC 5782. */
export const rbl = {
  type: 'rbl',
  capability: null,
  Params,
  Spec,
  Result,
  asksOthers: true,
  deadlineMs: ({ params }: RblSpec) => params.timeout_ms + 2000,
  blank: () => ({ lookups: [], lookup_ms: null }),
  targetHost,
  furtherHosts: () => [],
  checkTarget,
} satisfies MeasurementDefinition<typeof Spec, typeof Result> & { readonly Params: typeof Params };
