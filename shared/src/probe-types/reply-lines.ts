import { msCell } from './cells.js';
import type { PingReply } from './ping-reply.js';

/** Lines for the packets of a ping, one for each, in the format of `ping`. */
export function replyLines(replies: readonly PingReply[]): string[] {
  return replies.map(replyLine);
}

function replyLine({ seq, ttl, rtt_ms, duplicate, late, icmp_error }: PingReply): string {
  if (icmp_error !== null) {
    const { ip, name, type, code } = icmp_error;
    return `seq=${seq} ${ip}: ${name} (type ${type}, code ${code})`;
  }
  if (rtt_ms === null) return `seq=${seq} no reply`;
  const hops = ttl === null ? '' : ` ttl=${ttl}`;
  return `seq=${seq}${hops} time=${msCell(rtt_ms)}${duplicate ? ' (DUP!)' : ''}${late ? ' (late)' : ''}`;
}
