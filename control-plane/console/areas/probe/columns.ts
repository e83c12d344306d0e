import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import { formatMs, formatNumber, formatPercent, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import type { NodeResult } from './task.js';
import type { ProbeTitle } from './texts.js';

/** A column of the table of results: what a person looks at first. */
export interface Column<R> {
  readonly title: ProbeTitle;
  readonly isNumber?: true;
  value(result: R): string;
}

export const msOf = (value: number | null | undefined) =>
  value === null || value === undefined ? '–' : formatMs(value);
export const textOf = (value: string | number | null | undefined) =>
  value === null || value === undefined ? '–' : visible(String(value));
const isReached = (value: boolean) => (value ? common().yes : common().no);

function rateOf(bps: number | null): string {
  return bps === null ? '–' : `${formatNumber(bps / 1e6, bps < 1e7 ? 2 : 1)} Mbit/s`;
}

const columns: { readonly [T in ProbeType]: readonly Column<NodeResult<T>>[] } = {
  http: [
    { title: 'status', isNumber: true, value: (r) => textOf(r.status_code) },
    { title: 'total', isNumber: true, value: (r) => msOf(r.response_ms) },
    { title: 'bytes', isNumber: true, value: (r) => (r.response_size === null ? '–' : formatNumber(r.response_size)) },
    { title: 'address', value: (r) => textOf(r.resolved_ip) },
  ],
  ping: [
    { title: 'replies', isNumber: true, value: (r) => `${r.packets_received}/${r.packets_sent}` },
    { title: 'loss', isNumber: true, value: (r) => (r.packets_sent === 0 ? '–' : formatPercent(r.loss_pct, 1)) },
    { title: 'min', isNumber: true, value: (r) => msOf(r.rtt.min_ms) },
    { title: 'avg', isNumber: true, value: (r) => msOf(r.rtt.avg_ms) },
    { title: 'max', isNumber: true, value: (r) => msOf(r.rtt.max_ms) },
    { title: 'address', value: (r) => textOf(r.resolved_ip) },
  ],
  dns: [
    { title: 'answer', value: (r) => textOf(r.rcode) },
    { title: 'total', isNumber: true, value: (r) => msOf(r.query_ms) },
    { title: 'records', isNumber: true, value: (r) => formatNumber(r.records.length) },
    { title: 'resolver', value: (r) => textOf(r.resolver) },
  ],
  tcp: [
    { title: 'connect', isNumber: true, value: (r) => msOf(r.connect_ms) },
    { title: 'dns', isNumber: true, value: (r) => msOf(r.dns_ms) },
    { title: 'port', isNumber: true, value: (r) => textOf(r.port) },
    { title: 'address', value: (r) => textOf(r.resolved_ip) },
  ],
  traceroute: [
    { title: 'reached', value: (r) => isReached(r.reached) },
    { title: 'hops', isNumber: true, value: (r) => formatNumber(r.hops.length) },
    {
      title: 'lastHop',
      isNumber: true,
      value: (r) => msOf(r.hops.at(-1)?.replies.find(({ ip }) => ip !== null)?.rtt_ms),
    },
    { title: 'address', value: (r) => textOf(r.resolved_ip) },
  ],
  mtr: [
    { title: 'reached', value: (r) => isReached(r.reached) },
    { title: 'hops', isNumber: true, value: (r) => formatNumber(r.hops.length) },
    { title: 'loss', isNumber: true, value: ({ hops }) => lossOf(hops.at(-1)?.loss_pct) },
    { title: 'avg', isNumber: true, value: (r) => msOf(r.hops.at(-1)?.rtt.avg_ms) },
    { title: 'address', value: (r) => textOf(r.resolved_ip) },
  ],
  smtp: [
    { title: 'greeting', isNumber: true, value: (r) => msOf(r.timing.banner_ms) },
    { title: 'tls', value: (r) => textOf(r.tls?.protocol) },
    { title: 'port', isNumber: true, value: (r) => textOf(r.port) },
    { title: 'address', value: (r) => textOf(r.resolved_ip) },
  ],
  ntp: [
    { title: 'offset', isNumber: true, value: (r) => signed(r.offset_ms) },
    { title: 'delay', isNumber: true, value: (r) => msOf(r.delay_ms) },
    { title: 'jitter', isNumber: true, value: (r) => msOf(r.jitter_ms) },
    { title: 'stratum', isNumber: true, value: (r) => textOf(r.stratum) },
    { title: 'address', value: (r) => textOf(r.resolved_ip) },
  ],
  ssl: [
    { title: 'grade', value: (r) => textOf(r.grade) },
    { title: 'daysLeft', isNumber: true, value: (r) => textOf(r.days_until_expiry) },
    { title: 'protocol', value: (r) => textOf(r.protocol) },
    { title: 'issuer', value: (r) => textOf(r.issuer) },
  ],
  speedtest: [
    { title: 'download', isNumber: true, value: (r) => rateOf(r.download_bps) },
    { title: 'upload', isNumber: true, value: (r) => rateOf(r.upload_bps) },
    { title: 'latency', isNumber: true, value: (r) => msOf(r.latency_ms) },
    { title: 'jitter', isNumber: true, value: (r) => msOf(r.jitter_ms) },
    { title: 'address', value: (r) => textOf(r.resolved_ip) },
  ],
};

/** Columns of the results of any type. */
export function columnsOf(type: ProbeType): readonly Column<NodeResult>[] {
  return columns[type] as unknown as readonly Column<NodeResult>[];
}

export function lossOf(percent: number | undefined): string {
  return percent === undefined ? '–' : formatPercent(percent, 1);
}

function signed(ms: number | null): string {
  return ms === null ? '–' : `${ms > 0 ? '+' : ''}${formatNumber(ms, 3)} ms`;
}
