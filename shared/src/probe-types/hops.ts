import { type Static, Type } from 'typebox';
import { nullableMilliseconds, nullableString } from './fields.js';

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

/** What became of one packet. */
export const HopReply = Type.Object(
  {
    ip: nullableString('Who answered; null: nobody in time.'),
    hostname: Type.Optional(Type.String()),
    rtt_ms: nullableMilliseconds('Send to receive.'),
    icmp_type: nullableString('time_exceeded, echo_reply, port_unreachable, …; tcp_syn_ack or tcp_rst for TCP.'),
  },
  { additionalProperties: false },
);

/** All packets that were sent to die at one distance. */
export const Hop = Type.Object(
  { ttl: Type.Integer({ minimum: 1, maximum: 64 }), replies: Type.Array(HopReply, { maxItems: 10 }) },
  { additionalProperties: false },
);

export type HopReply = Static<typeof HopReply>;
export type Hop = Static<typeof Hop>;
