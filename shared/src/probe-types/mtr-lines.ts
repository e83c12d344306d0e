import { alignedRows } from './cells.js';
import { mplsLine, nameText, placeCells, unreachableMark } from './hop-lines.js';
import type { HopStatistics } from './hops.js';

const titles = ['', 'Network', 'Host', 'Loss%', 'Snt', 'Last', 'Avg', 'Best', 'Wrst', 'StDev', 'Javg'];
/** All but the network and the name are numbers. */
const numberColumns = new Set([0, 3, 4, 5, 6, 7, 8, 9, 10]);
const networkColumn = 1;
/**
 * Hops as `mtr --report` prints them, with a column of networks and countries where any is known; further addresses and
 * label stacks of a hop stand on lines below it.
 */
export function statisticsLines(hops: readonly HopStatistics[]): string[] {
  if (hops.length === 0) return [];
  const places = placeCells(hops);
  const table = [titles, ...hops.map((hop, i) => cells(hop, places[i] ?? ''))];
  const hasPlaces = places.some((place) => place !== '');
  const [head = '', ...rows] = hasPlaces ? alignedRows(table, numberColumns) : withoutNetworks(table);
  const margin = ' '.repeat(head.indexOf('Host'));
  return [head, ...hops.flatMap((hop, i) => [rows[i] ?? '', ...furtherLines(hop, margin)])];
}

function withoutNetworks(table: readonly (readonly string[])[]): string[] {
  const shifted = [...numberColumns].map((column) => (column > networkColumn ? column - 1 : column));
  return alignedRows(
    table.map((row) => row.toSpliced(networkColumn, 1)),
    new Set(shifted),
  );
}

function cells(hop: HopStatistics, place: string): string[] {
  const { last_ms, avg_ms, min_ms, max_ms, stddev_ms } = hop.rtt;
  const times = [last_ms, avg_ms, min_ms, max_ms, stddev_ms, hop.jitter_ms];
  const mark = unreachableMark(hop.icmp_type, hop.icmp_code);
  const [ip] = hop.ip;
  const host = ip === undefined ? '???' : nameText(ip, hop.hostname[0]);
  return [
    `${hop.ttl}.|--`,
    place,
    mark === null ? host : `${host} ${mark}`,
    `${hop.loss_pct.toFixed(1)}%`,
    String(hop.sent),
    ...times.map((ms) => (ms === null ? '-' : ms.toFixed(2))),
  ];
}

function furtherLines({ ip, hostname, mpls = [] }: HopStatistics, margin: string): string[] {
  const others = ip.slice(1).map((address, i) => nameText(address, hostname[i + 1]));
  return [...others, ...mpls.map(mplsLine)].map((line) => `${margin}${line}`);
}
