import { alignedRows } from './cells.js';
import type { Hop, HopReply, HopStatistics, MplsEntry } from './hops.js';

/** Greatest number of times in one line; more are shown as smallest, mean and largest. */
const maxTimes = 10;
/** Width of the column of hop numbers, under which further lines of a hop begin. */
const indentation = ' '.repeat(4);

/**
 * Hops as traceroute prints them: `ttl  name (address)  time  time`, an asterisk for silence, `!X` for a refusal, a `+`
 * after a time that came late. Flows that saw different addresses stand on lines of their own, label stacks below. Where
 * the place of any hop is known, `AS64496 DE` or what there is of it stands in a column before the names.
 */
export function hopLines(hops: readonly Hop[]): string[] {
  const flows = new Set(hops.flatMap(({ replies }) => replies.map(({ flow }) => flow)));
  const places = placeCells(hops);
  return hops.flatMap((hop, i) => oneHop(hop, flows.size, places[i] ?? ''));
}

/** Network and country of each hop, `AS64496 DE`, all as wide as the widest; empty where no hop has either. */
export function placeCells(hops: readonly Pick<Hop | HopStatistics, 'asn' | 'country'>[]): string[] {
  const networks = hops.map(({ asn }) => (asn === undefined ? '' : `AS${asn}`));
  const countries = hops.map(({ country }) => country ?? '');
  const columns = [networks, countries].filter((column) => column.some((cell) => cell !== ''));
  const cells = alignedRows(hops.map((_, i) => columns.map((column) => column[i] ?? '')));
  const width = Math.max(0, ...cells.map(({ length }) => length));
  return cells.map((cell) => cell.padEnd(width));
}

function oneHop({ ttl, replies }: Hop, flowCount: number, place: string): string[] {
  const groups = groupFlows(replies);
  const isDivided = groups.length > 1 || (flowCount > 1 && (groups[0]?.flows.length ?? 0) < flowCount);
  const lines = groups.map((group) => {
    const who = isDivided ? `[flow ${group.flows.join(',')}]  ` : '';
    return `${who}${repliesText(group.replies)}`;
  });
  const [first = '', ...rest] = [...lines, ...stackLines(replies)];
  const column = place === '' ? '' : `${place}  `;
  const margin = indentation + ' '.repeat(column.length);
  return [`${String(ttl).padStart(2)}  ${column}${first}`, ...rest.map((line) => `${margin}${line}`)];
}

interface FlowGroup {
  readonly flows: number[];
  readonly replies: HopReply[];
}

/** Flows that were answered by the same addresses, together. */
function groupFlows(replies: readonly HopReply[]): FlowGroup[] {
  const groups = new Map<string, FlowGroup>();
  for (const flow of new Set(replies.map((reply) => reply.flow))) {
    const own = replies.filter((reply) => reply.flow === flow);
    const key = [...new Set(own.map(({ ip }) => ip).filter((ip) => ip !== null))].sort().join(' ');
    const group = groups.get(key) ?? { flows: [], replies: [] };
    group.flows.push(flow);
    group.replies.push(...own);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Each address stands before the first of its times in a row. */
function repliesText(replies: readonly HopReply[]): string {
  if (replies.length > maxTimes) return manyRepliesText(replies);
  let last: string | null = null;
  const words = replies.map((reply) => {
    if (reply.ip === null || reply.rtt_ms === null) return '*';
    const who = reply.ip === last ? '' : `${nameText(reply.ip, reply.hostname)}  `;
    last = reply.ip;
    return `${who}${timeText(reply, reply.rtt_ms)}`;
  });
  return words.every((word) => word === '*') ? words.join(' ') : words.join('  ');
}

function timeText(reply: HopReply, rttMs: number): string {
  const mark = unreachableMark(reply.icmp_type, reply.icmp_code);
  return `${rttMs.toFixed(3)} ms${reply.late === true ? '+' : ''}${mark === null ? '' : ` ${mark}`}`;
}

function manyRepliesText(replies: readonly HopReply[]): string {
  const answered = replies.filter(({ ip }) => ip !== null);
  const names = [...new Map(answered.map(({ ip, hostname }) => [ip, nameText(ip ?? '', hostname)])).values()];
  const marks = [...new Set(answered.map((reply) => unreachableMark(reply.icmp_type, reply.icmp_code)))];
  const times = answered.map(({ rtt_ms }) => rtt_ms ?? 0);
  const count = `${answered.length}/${replies.length} replies`;
  if (times.length === 0) return `*  ${count}`;
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const range = [Math.min(...times), mean, Math.max(...times)].map((time) => time.toFixed(3)).join('/');
  return [...names, `${range} ms min/avg/max`, count, ...marks.filter((mark) => mark !== null)].join('  ');
}

function stackLines(replies: readonly HopReply[]): string[] {
  const stacks = replies.map(({ mpls = [] }) => mpls.map(mplsLine));
  return [...new Map(stacks.map((lines) => [lines.join(), lines])).values()].flat();
}

/** An entry of a label stack as mtr prints it. */
export function mplsLine({ label, tc, s, ttl }: MplsEntry): string {
  return `[MPLS: Lbl ${label} TC ${tc} S ${s} TTL ${ttl}]`;
}

/** `name (address)`, or the address alone. */
export function nameText(ip: string, hostname: string | null | undefined): string {
  return hostname === null || hostname === undefined ? ip : `${hostname} (${ip})`;
}

/** Marks of traceroute(8) for an ICMP error that ends a path, by the name of the error. */
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

/** `!H`, `!X` and so on, `!<code>` for an error without a letter; null for an answer that refuses nothing. */
export function unreachableMark(icmpType: string | null, code: number | null): string | null {
  if (plainAnswers.has(icmpType)) return null;
  return marks[icmpType ?? ''] ?? `!<${code ?? icmpType}>`;
}
