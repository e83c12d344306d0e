import { alignedRows } from './cells.js';
import { mplsLine, nameText, unreachableMark } from './hop-lines.js';
import type { HopStatistics } from './hops.js';

const titles = ['', 'Host', 'Loss%', 'Snt', 'Last', 'Avg', 'Best', 'Wrst', 'StDev', 'Javg'];
/** All but the name are numbers. */
const numberColumns = new Set([0, 2, 3, 4, 5, 6, 7, 8, 9]);
/** Width of `12.|--`, under which further lines of a hop begin. */
const indentation = ' '.repeat(8);

/** Hops as `mtr --report` prints them; further addresses and label stacks of a hop stand on lines below it. */
export function statisticsLines(hops: readonly HopStatistics[]): string[] {
  if (hops.length === 0) return [];
  const [head = '', ...rows] = alignedRows([titles, ...hops.map(cells)], numberColumns);
  return [head, ...hops.flatMap((hop, i) => [rows[i] ?? '', ...furtherLines(hop)])];
}

function cells(hop: HopStatistics): string[] {
  const { last_ms, avg_ms, min_ms, max_ms, stddev_ms } = hop.rtt;
  const times = [last_ms, avg_ms, min_ms, max_ms, stddev_ms, hop.jitter_ms];
  const mark = unreachableMark(hop.icmp_type, hop.icmp_code);
  const [ip] = hop.ip;
  const host = ip === undefined ? '???' : nameText(ip, hop.hostname[0]);
  return [
    `${hop.ttl}.|--`,
    mark === null ? host : `${host} ${mark}`,
    `${hop.loss_pct.toFixed(1)}%`,
    String(hop.sent),
    ...times.map((ms) => (ms === null ? '-' : ms.toFixed(2))),
  ];
}

function furtherLines({ ip, hostname, mpls = [] }: HopStatistics): string[] {
  const others = ip.slice(1).map((address, i) => nameText(address, hostname[i + 1]));
  return [...others, ...mpls.map(mplsLine)].map((line) => `${indentation}${line}`);
}
