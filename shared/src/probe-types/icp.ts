import { type Static, Type } from 'typebox';
import { nullable } from '../nullable.js';
import { type Host, parseHost } from '../target-policy/host.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import { malformed } from '../target-policy/target-error.js';
import type { MeasurementDefinition } from './definition.js';
import { nullableMilliseconds, nullableString, outcomeFields, specOf, timeoutParam } from './fields.js';

const Params = Type.Object(
  { timeout_ms: timeoutParam(1000, 30000, 15000, 'Deadline of all requests together, in milliseconds.') },
  { additionalProperties: false },
);

const Spec = specOf('A domain name.', Params);

const Filing = Type.Object(
  {
    icp_number: Type.String({ maxLength: 100 }),
    company: nullableString('Holder of the filing.'),
    type: nullableString('Nature of the holder, as the source writes it: company, person, public institution.'),
    license_type: nullableString('Kind of the licence, as the source writes it.'),
    filed_at: nullable(Type.String({ format: 'date' }), 'Day of the filing or of its last review.'),
    inquiry_url: nullableString('Page about the filing, http or https.'),
  },
  { additionalProperties: false },
);

const Result = Type.Object(
  {
    ...outcomeFields,
    domain: nullableString('The registered domain of the target; null before it is known.'),
    filing: nullable(Filing, 'Null without a filing.'),
    source: nullableString('Host of the source; null without one.'),
    lookup_ms: nullableMilliseconds('Duration of the query to the source.'),
  },
  { additionalProperties: false },
);

type IcpSpec = Static<typeof Spec>;
/** An ICP filing of a domain (mainland China). API specification, data of ICP. */
export type IcpFiling = Static<typeof Filing>;

function targetHost({ target }: IcpSpec): Host {
  return parseHost(target);
}

function checkTarget(spec: IcpSpec, policy: TargetPolicy): void {
  const host = targetHost(spec);
  policy.checkHost(host);
  if (host.kind === 'address') throw malformed('target', 'an address has no ICP filing');
}

/** The ICP filing of a domain, by whatever source the operator of the node has. */
export const icp = {
  type: 'icp',
  capability: null,
  Params,
  Spec,
  Result,
  maxResultBytes: 32 * 1024,
  asksOthers: true,
  deadlineMs: ({ params }: IcpSpec) => params.timeout_ms + 2000,
  blank: () => ({ domain: null, filing: null, source: null, lookup_ms: null }),
  targetHost,
  furtherHosts: () => [],
  checkTarget,
} satisfies MeasurementDefinition<typeof Spec, typeof Result> & { readonly Params: typeof Params };
