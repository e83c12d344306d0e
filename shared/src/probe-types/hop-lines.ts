import type { Hop, HopReply } from './hops.js';

/** Hops as traceroute prints them: `ttl  name (address)  time  time`, an asterisk for silence, !X for a refusal. */
export function hopLines(hops: readonly Hop[]): string[] {
  return hops.map(({ ttl, replies }) => `${String(ttl).padStart(2)}  ${repliesText(replies)}`);
}

/** Each address stands before the first of its times in a row. */
function repliesText(replies: readonly HopReply[]): string {
  let last: string | null = null;
  const words = replies.map((reply) => {
    if (reply.ip === null || reply.rtt_ms === null) return '*';
    const who = reply.ip === last ? '' : `${nameText(reply.ip, reply.hostname)}  `;
    last = reply.ip;
    return `${who}${reply.rtt_ms.toFixed(3)} ms${markText(reply)}`;
  });
  return words.every((word) => word === '*') ? words.join(' ') : words.join('  ');
}

function nameText(ip: string, hostname: string | undefined): string {
  return hostname === undefined ? ip : `${hostname} (${ip})`;
}

function markText({ icmp_type }: HopReply): string {
  const mark = unreachableMark(icmp_type);
  return mark === null ? '' : ` ${mark}`;
}

/** What traceroute(8) prints of an ICMP error that ends a path, by the name of the error. */
const marks: Readonly<Record<string, string>> = {
  net_unreachable: '!N',
  net_unknown: '!N',
  source_isolated: '!N',
  net_unreachable_for_tos: '!N',
  no_route: '!N',
  host_unreachable: '!H',
  host_unknown: '!H',
  host_unreachable_for_tos: '!H',
  address_unreachable: '!H',
  protocol_unreachable: '!P',
  net_prohibited: '!X',
  host_prohibited: '!X',
  admin_prohibited: '!X',
  source_route_failed: '!S',
  beyond_scope: '!S',
  fragmentation_needed: '!F',
  packet_too_big: '!F',
  precedence_violation: '!V',
  precedence_cutoff: '!C',
};

/** Answers of a host or a router that did its duty. */
const plainAnswers: ReadonlySet<string | null> = new Set([
  null,
  'time_exceeded',
  'echo_reply',
  'port_unreachable',
  'tcp_syn_ack',
  'tcp_rst',
]);

/** `!H`, `!X` and so on; null for an answer that refuses nothing. */
function unreachableMark(icmpType: string | null): string | null {
  if (plainAnswers.has(icmpType)) return null;
  return marks[icmpType ?? ''] ?? `!<${icmpType}>`;
}
