import type { AsnOf } from '../probe-types/definition.js';
import { isPolluted } from '../probe-types/dns-pollution.js';
import type { ProbeResults } from '../probe-types/index.js';
import type { SslGrade } from '../probe-types/ssl-findings.js';
import { parseAddress } from '../target-policy/address.js';
import type { CodeOf } from './finding-table.js';
import type { NodeResult } from './node-results.js';

const DNS_SLOW_MS = 500;
const PING_SLOW_MS = 300;
const UNSTABLE_MS = 30;
const LONG_PATH = 25;

/** True if a handshake succeeded. */
export function hasHandshake({ result }: NodeResult<'ssl'>): boolean {
  return result.grade !== null;
}

/** Grades of certificates that browsers refuse, or that protect nothing. */
export function isBadGrade(grade: SslGrade | null): boolean {
  return grade === 'T' || grade === 'M' || grade === 'F';
}

/** Findings in the audit of one node. */
export function judgeSsl(result: ProbeResults['ssl']): CodeOf<'ssl'>[] {
  if (result.grade === null) return ['ssl_unreachable'];
  const isGood = result.grade === 'A+' || result.grade === 'A';
  return [...new Set<CodeOf<'ssl'>>([...result.warnings, ...(isGood ? (['ssl_good'] as const) : [])])];
}

/** Findings in the response to one node. */
export function judgeDns(result: ProbeResults['dns']): CodeOf<'dns'>[] {
  const { error, query_ms: queryMs } = result;
  const code = error?.code;
  if (code === 'dns_nxdomain') return ['dns_nxdomain'];
  if (code === 'dns_nodata' || (code === undefined && !result.records.some(({ type }) => type === 'A')))
    return ['dns_no_ipv4'];
  if (code === 'dns_timeout' || code === 'timeout') return ['dns_timeout'];
  if (code !== undefined) return ['dns_failed'];
  return (queryMs ?? 0) > DNS_SLOW_MS ? ['dns_slow'] : ['dns_ok'];
}

/** True if the responses to several nodes cannot all come from the zone. */
export function areContradictory(results: readonly NodeResult<'dns'>[], asnOf: AsnOf): boolean {
  return isPolluted(
    'A',
    results.map(({ result }) => result),
    asnOf,
  );
}

/** Findings in the replies to one node; `hasHttp` if the site responded to it. */
export function judgePing(result: ProbeResults['ping'], hasHttp: boolean): CodeOf<'ping'>[] {
  const { packets_received: received, loss_pct: loss, rtt } = result;
  if (received === 0) return [hasHttp ? 'icmp_filtered' : 'ping_no_reply'];
  const found: CodeOf<'ping'>[] = [];
  if (loss > 20) found.push('ping_loss_high');
  else if (loss > 0) found.push('ping_loss');
  const mean = rtt.avg_ms ?? 0;
  const deviation = rtt.mdev_ms ?? 0;
  if (mean > PING_SLOW_MS) found.push('ping_slow');
  if (deviation > UNSTABLE_MS && deviation > mean / 2) found.push('ping_unstable');
  return found.length === 0 ? ['ping_ok'] : found;
}

/** Findings in the path from one node; `hasHttp` if the site responded to it. */
export function judgePath(
  { hops, reached, resolved_ip: target }: ProbeResults['traceroute'],
  hasHttp: boolean,
): CodeOf<'traceroute'>[] {
  const found: CodeOf<'traceroute'>[] = [];
  if (!reached) found.push(hasHttp ? 'path_filtered' : 'path_not_reached');
  if (hasLoop(hops, target)) found.push('path_loop');
  if (hops.length > LONG_PATH && reached) found.push('path_long');
  return found.length === 0 ? ['path_ok'] : found;
}

/** True if a router of one hop occurs again behind a hop without it; the target may reply at several. */
function hasLoop(hops: ProbeResults['traceroute']['hops'], target: string | null): boolean {
  const lastTtl = new Map<string, number>();
  for (const { ttl, replies } of [...hops].sort((a, b) => a.ttl - b.ttl)) {
    for (const ip of new Set(replies.map((reply) => reply.ip))) {
      if (ip === null || ip === target || parseAddress(ip) === null) continue;
      const last = lastTtl.get(ip);
      if (last !== undefined && ttl - last > 1) return true;
      lastTtl.set(ip, ttl);
    }
  }
  return false;
}
