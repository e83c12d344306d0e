import { type Static, Type } from 'typebox';
import { nullableMilliseconds } from './fields.js';

const IcmpError = Type.Object(
  {
    ip: Type.String({ description: 'Sender of the message: often a router.' }),
    name: Type.String({ maxLength: 40, description: 'time_exceeded, host_unreachable, …; as `icmp_type` of a trace.' }),
    type: Type.Integer({ minimum: 0, maximum: 255 }),
    code: Type.Integer({ minimum: 0, maximum: 255 }),
  },
  { additionalProperties: false },
);
/** An ICMP error that came in place of a reply. */
export type PingIcmpError = Static<typeof IcmpError>;

/** One packet of a ping: its reply, or what came in place of one. */
export const PingReplySchema = Type.Object(
  {
    seq: Type.Integer({ minimum: 0, description: 'Packet number, from 0.' }),
    ttl: Type.Union([Type.Integer({ minimum: 0, maximum: 255 }), Type.Null()], {
      description: 'Remaining time to live or hop limit of the reply; null if the system does not report it.',
    }),
    rtt_ms: nullableMilliseconds('Time from sending to receiving; null: no reply.'),
    duplicate: Type.Boolean({ description: 'True for a further reply to the same packet.' }),
    late: Type.Boolean({
      description:
        'True if the reply arrived after `timeout_ms` while the ping was still running: listed, but not counted as received.',
    }),
    icmp_error: Type.Union([IcmpError, Type.Null()], { description: 'Message that arrived in place of a reply.' }),
  },
  { additionalProperties: false },
);

/** A reply, or the want of one. */
export type PingReply = Static<typeof PingReplySchema>;
