import { type Static, Type } from 'typebox';
import { nullable } from '../nullable.js';
import { type Host, parseHost } from '../target-policy/host.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import { malformed } from '../target-policy/target-error.js';
import type { MeasurementDefinition } from './definition.js';
import { nullableMilliseconds, nullableString, outcomeFields, specOf, timeoutParam } from './fields.js';

const Params = Type.Object(
  { timeout_ms: timeoutParam(2000, 30000, 20000, 'Deadline of RDAP and WHOIS together, in milliseconds.') },
  { additionalProperties: false },
);

const Spec = specOf('A domain name.', Params);

const Result = Type.Object(
  {
    ...outcomeFields,
    domain: nullableString('The registered domain of the target; null before it is known.'),
    registered: nullable(Type.Boolean(), 'True if the domain is registered; null if that is unknown.'),
    expires_at: nullable(Type.String({ format: 'date-time' }), 'End of its registration; null if unknown.'),
    source: Type.Union([Type.Enum(['rdap', 'whois'], { type: 'string' }), Type.Null()], {
      description: 'Source of this data.',
    }),
    server: nullableString('The last host that was queried.'),
    lookup_ms: nullableMilliseconds('Duration of all queries together.'),
  },
  { additionalProperties: false },
);

type DomainSpec = Static<typeof Spec>;

function targetHost({ target }: DomainSpec): Host {
  return parseHost(target);
}

function checkTarget(spec: DomainSpec, policy: TargetPolicy): void {
  const host = targetHost(spec);
  policy.checkHost(host);
  if (host.kind === 'address') throw malformed('target', 'an address has no registration that expires');
}

/** Registration of a domain: RDAP (RFC 9083), else WHOIS (RFC 3912). */
export const domain = {
  type: 'domain',
  capability: null,
  Params,
  Spec,
  Result,
  asksOthers: true,
  deadlineMs: ({ params }: DomainSpec) => params.timeout_ms + 2000,
  blank: () => ({
    domain: null,
    registered: null,
    expires_at: null,
    source: null,
    server: null,
    lookup_ms: null,
  }),
  targetHost,
  furtherHosts: () => [],
  checkTarget,
} satisfies MeasurementDefinition<typeof Spec, typeof Result> & { readonly Params: typeof Params };
