import type { Family } from './address.js';

// NOTE: these names are part of the public API (hops[].replies[].icmp_type); a published name never changes.

/** Codes of ICMP type 3, by number. RFC 792, RFC 1122 3.2.2.1, RFC 1812 5.2.7.1. */
const unreachableV4 = [
  'net_unreachable',
  'host_unreachable',
  'protocol_unreachable',
  'port_unreachable',
  'fragmentation_needed',
  'source_route_failed',
  'net_unknown',
  'host_unknown',
  'source_isolated',
  'net_prohibited',
  'host_prohibited',
  'net_unreachable_for_tos',
  'host_unreachable_for_tos',
  'admin_prohibited',
  'precedence_violation',
  'precedence_cutoff',
] as const;

/** Codes of ICMPv6 type 1, by number. RFC 4443 3.1, RFC 6554 4.2. */
const unreachableV6 = [
  'no_route',
  'admin_prohibited',
  'beyond_scope',
  'address_unreachable',
  'port_unreachable',
  'source_policy_failed',
  'route_rejected',
  'source_route_failed',
] as const;

/** Names of ICMP errors, both families; `destination_unreachable` is a code that no RFC names. */
export type IcmpErrorName =
  | (typeof unreachableV4)[number]
  | (typeof unreachableV6)[number]
  | 'destination_unreachable'
  | 'packet_too_big'
  | 'time_exceeded'
  | 'parameter_problem';

/** Kind of answer to a probe: an error, an echo reply, or a TCP segment. */
export type AnswerName = IcmpErrorName | 'echo_reply' | 'tcp_syn_ack' | 'tcp_rst';

/** The name of an ICMP error that ends a packet; null for every other type (redirects and source quenches are advice). */
export function icmpErrorName(family: Family, type: number, code: number): IcmpErrorName | null {
  return family === 4 ? nameV4(type, code) : nameV6(type, code);
}

function nameV4(type: number, code: number): IcmpErrorName | null {
  if (type === 3) return unreachableV4[code] ?? 'destination_unreachable';
  if (type === 11) return code === 0 ? 'time_exceeded' : null;
  return type === 12 ? 'parameter_problem' : null;
}

function nameV6(type: number, code: number): IcmpErrorName | null {
  if (type === 1) return unreachableV6[code] ?? 'destination_unreachable';
  if (type === 2) return 'packet_too_big';
  if (type === 3) return code === 0 ? 'time_exceeded' : null;
  return type === 4 ? 'parameter_problem' : null;
}

const networkNames: ReadonlySet<AnswerName> = new Set<AnswerName>([
  'net_unreachable',
  'net_unknown',
  'net_prohibited',
  'net_unreachable_for_tos',
  'source_route_failed',
  'no_route',
  'beyond_scope',
  'route_rejected',
]);

const otherNames: ReadonlySet<AnswerName> = new Set<AnswerName>([
  'echo_reply',
  'tcp_syn_ack',
  'tcp_rst',
  'time_exceeded',
]);

/** Error code for an ICMP error that says the network or the host is unreachable; null for other answers. */
export function unreachableCode(name: AnswerName): 'net_unreachable' | 'host_unreachable' | null {
  if (otherNames.has(name)) return null;
  return networkNames.has(name) ? 'net_unreachable' : 'host_unreachable';
}
