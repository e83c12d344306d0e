import { type Static, type TProperties, Type } from 'typebox';
import { nullable } from '../nullable.js';
import type { WhereIs } from './definition.js';
import { ipVersionField, nullableMilliseconds, nullableString, outcomeFields, resolvedIpField } from './fields.js';

/** One entry of an MPLS label stack as a router reported it (RFC 4950, RFC 3032 2.1). */
export const MplsEntry = Type.Object(
  {
    label: Type.Integer({ minimum: 0, maximum: 0xfffff }),
    tc: Type.Integer({ minimum: 0, maximum: 7, description: 'Traffic class, once EXP.' }),
    s: Type.Integer({ minimum: 0, maximum: 1, description: '1 at the bottom of the stack.' }),
    ttl: Type.Integer({ minimum: 0, maximum: 255 }),
  },
  { additionalProperties: false },
);
export type MplsEntry = Static<typeof MplsEntry>;

/** The labels a packet carried when it died, as its hop reported them. */
const mplsField = Type.Optional(
  Type.Array(MplsEntry, { maxItems: 8, description: 'MPLS labels of the packet at this hop, top first (RFC 4950).' }),
);

/** Kind of message that a packet was answered with, if known. */
const icmpTypeField = nullableString('time_exceeded, echo_reply, port_unreachable, …; tcp_syn_ack or tcp_rst for TCP.');

/** Outcome of one packet. */
export const HopReply = Type.Object(
  {
    flow: Type.Integer({ minimum: 1, maximum: 8, description: 'Number of the flow of the packet, starting at 1.' }),
    ip: nullableString('Address that replied; null: none before the end.'),
    hostname: Type.Optional(
      Type.String({ maxLength: 253, description: 'Name of the address by reverse DNS, escaped.' }),
    ),
    rtt_ms: nullableMilliseconds('Time from sending to receiving.'),
    icmp_type: icmpTypeField,
    icmp_code: Type.Union([Type.Integer({ minimum: 0, maximum: 255 }), Type.Null()], {
      description: 'Code of the ICMP error; null for other replies.',
    }),
    late: Type.Optional(Type.Boolean({ description: 'The reply arrived after timeout_ms, but before the end.' })),
    mpls: mplsField,
  },
  { additionalProperties: false },
);
export type HopReply = Static<typeof HopReply>;

/** Network and location of a hop, by its address. */
const placeFields = {
  asn: Type.Optional(Type.Integer({ minimum: 0, maximum: 0xffff_ffff, description: 'Network of the first address.' })),
  country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1, of the first address.' })),
};

const ttlField = Type.Integer({ minimum: 1, maximum: 64 });

/** All packets that were sent to die at one distance, each with its reply. */
export const Hop = Type.Object(
  { ttl: ttlField, replies: Type.Array(HopReply, { maxItems: 80 }), ...placeFields },
  { additionalProperties: false },
);
export type Hop = Static<typeof Hop>;

/** All packets that were sent to die at one distance, counted. */
export const HopStatistics = Type.Object(
  {
    ttl: ttlField,
    ip: Type.Array(Type.String(), {
      maxItems: 8,
      description: 'Addresses that replied, in the order of their first reply.',
    }),
    hostname: Type.Array(Type.Union([Type.String({ maxLength: 253 }), Type.Null()]), {
      maxItems: 8,
      description: 'The names of `ip` by reverse DNS, escaped, in the same order; null without one.',
    }),
    sent: Type.Integer({ minimum: 0 }),
    received: Type.Integer({ minimum: 0, description: 'Late replies included.' }),
    loss_pct: Type.Number({ minimum: 0, maximum: 100 }),
    rtt: Type.Object(
      {
        min_ms: nullableMilliseconds('Smallest; mtr’s Best.'),
        avg_ms: nullableMilliseconds('Mean; mtr’s Avg.'),
        max_ms: nullableMilliseconds('Largest; mtr’s Wrst.'),
        stddev_ms: nullableMilliseconds('Sample standard deviation, 0 for one reply; mtr’s StDev.'),
        last_ms: nullableMilliseconds('Time of the last reply; mtr’s Last.'),
      },
      { additionalProperties: false },
    ),
    jitter_ms: nullableMilliseconds(
      'Mean difference between a round-trip time and the previous one, the first counted as 0; mtr’s Javg.',
    ),
    icmp_type: icmpTypeField,
    icmp_code: HopReply.properties.icmp_code,
    mpls: mplsField,
    ...placeFields,
  },
  { additionalProperties: false },
);
export type HopStatistics = Static<typeof HopStatistics>;

/** The result of a type that follows a path, around hops of its own form. */
export const pathResult = <H extends TProperties[string]>(hop: H) =>
  Type.Object(
    { ...outcomeFields, resolved_ip: resolvedIpField, ip_version: ipVersionField, ...pathFields(hop) },
    { additionalProperties: false },
  );

const pathFields = <H extends TProperties[string]>(hop: H) => ({
  protocol: Type.Enum(['icmp', 'udp', 'tcp'], { type: 'string' }),
  reached: Type.Boolean({ description: 'The target itself replied.' }),
  hops: Type.Array(hop, { maxItems: 64 }),
});

/**
 * Writes into each hop where its first address is. What a node says of that itself does not count: the addresses are
 * routers', the databases the control plane's.
 */
export function placeHops({ hops }: { readonly hops: (Hop | HopStatistics)[] }, whereIs: WhereIs): void {
  for (const hop of hops) {
    delete hop.asn;
    delete hop.country;
    const address = 'replies' in hop ? hop.replies.find(({ ip }) => ip !== null)?.ip : hop.ip[0];
    const where = address === undefined || address === null ? null : whereIs(address);
    if (where?.asn !== undefined) hop.asn = where.asn;
    if (where?.country !== undefined) hop.country = where.country;
  }
}

/** First fields of the summary of every such type. */
export const pathSummaryFields = {
  reached_count: Type.Integer({ minimum: 0 }),
  hops_avg: nullable(Type.Number({ minimum: 0 }), 'Mean path length of the nodes that reached the target.'),
};
