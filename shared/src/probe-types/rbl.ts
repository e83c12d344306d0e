import { type Static, Type } from 'typebox';
import { MAX_RESULT_BYTES } from '../protocol/limits.js';
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
        description: 'Blocklists to query, by the names of their DNS zones; default: those configured on its nodes.',
      }),
    ),
    timeout_ms: timeoutParam(1000, 30000, 10000, 'Deadline of all queries together, in milliseconds.'),
  },
  { additionalProperties: false },
);

const Spec = specOf('An address, or a name whose addresses are looked up.', Params);

const Lookup = Type.Object(
  {
    zone: Type.String(),
    address: Type.String(),
    listed: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Null without a valid response of the zone.',
    }),
    codes: Type.Array(Type.String(), { maxItems: 8, description: 'Addresses in 127.0.0.0/8 in the response.' }),
    reason: nullableString('Text of its TXT record.'),
    error: nullableString('Reason why there is no valid response.'),
  },
  { additionalProperties: false },
);

const Result = Type.Object(
  {
    ...outcomeFields,
    lookups: Type.Array(Lookup, { maxItems: MAX_ZONES * MAX_LISTED_ADDRESSES }),
    lookup_ms: nullableMilliseconds('Time from the first query to the last response of the zones.'),
  },
  { additionalProperties: false },
);

type RblSpec = Static<typeof Spec>;
/** Result for one address in one zone. */
export type RblLookup = Static<typeof Lookup>;

function targetHost({ target }: RblSpec): Host {
  return parseHost(target);
}

function checkTarget(spec: RblSpec, policy: TargetPolicy): void {
  policy.checkHost(targetHost(spec));
  // a name in queries, not a server that receives any: the resolver is queried
  for (const zone of spec.params.zones ?? []) checkZone(zone, policy);
}

function checkZone(zone: string, policy: TargetPolicy): void {
  const field = 'params.zones';
  policy.checkHost(parseHost(zone, field), field);
}

/** DNS blocklists that list an address. RFC 5782. */
export const rbl = {
  type: 'rbl',
  capability: null,
  Params,
  Spec,
  Result,
  maxResultBytes: MAX_RESULT_BYTES,
  asksOthers: true,
  deadlineMs: ({ params }: RblSpec) => params.timeout_ms + 2000,
  blank: () => ({ lookups: [], lookup_ms: null }),
  targetHost,
  furtherHosts: () => [],
  checkTarget,
} satisfies MeasurementDefinition<typeof Spec, typeof Result> & { readonly Params: typeof Params };
