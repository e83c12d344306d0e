import { alignedRows, msCell } from './cells.js';
import { isTooEarly } from './dns-pollution.js';
import type { DnsTraceStep } from './dns-trace.js';

interface Answer {
  readonly records: readonly {
    readonly name: string;
    readonly type: string;
    readonly class: string;
    readonly ttl: number;
    readonly value: string;
  }[];
  readonly rcode: string | null;
  readonly flags: readonly string[];
  readonly resolver: string | null;
  readonly transport: string;
  readonly query_ms: number | null;
  readonly connect_ms: number | null;
  readonly tls_ms: number | null;
  readonly size: number | null;
  readonly resolver_rtt_ms: number | null;
  readonly ignored: number;
  readonly contradictions: number;
  readonly case_folded: boolean;
  readonly edns: { readonly udp_size: number; readonly cookie: boolean } | null;
  readonly extended_errors: readonly { readonly code: number; readonly text: string }[];
  readonly nsid?: string;
  readonly dnssec?: { readonly validated: boolean; readonly signatures: number };
  readonly trace?: readonly DnsTraceStep[];
}

/** Members of a result that `answerLines` shows. */
export const answerLineMembers = [
  'records',
  'rcode',
  'flags',
  'resolver',
  'transport',
  'query_ms',
  'connect_ms',
  'tls_ms',
  'size',
  'resolver_rtt_ms',
  'ignored',
  'contradictions',
  'case_folded',
  'edns',
  'extended_errors',
  'nsid',
  'dnssec',
  'trace',
] as const;

/** An answer as dig prints it: status and flags, records, then who gave it and how fast; a trace stands before it. */
export function answerLines(answer: Answer): string[] {
  const { records, rcode, trace = [] } = answer;
  const walked = alignedRows(traceRows(trace));
  if (rcode === null) return [...walked, ...oddLines(answer)];
  const rows = records.map((record) => [
    record.name === '.' ? '.' : `${record.name}.`,
    String(record.ttl),
    record.class,
    record.type,
    record.value,
  ]);
  const gap = walked.length === 0 ? [] : [''];
  return [...walked, ...gap, statusLine(answer), ...alignedRows(rows), serverLine(answer), ...oddLines(answer)];
}

function statusLine({ rcode, flags, edns, dnssec }: Answer): string {
  const parts = [`status ${rcode}`, `flags ${flags.join(' ') || 'none'}`];
  if (edns !== null) parts.push(`EDNS ${edns.udp_size} bytes${edns.cookie ? ' with cookie' : ''}`);
  if (dnssec !== undefined)
    parts.push(`DNSSEC ${dnssec.validated ? 'validated' : 'not validated'}, signatures: ${dnssec.signatures}`);
  return `;; ${parts.join('; ')}`;
}

function serverLine({ resolver, transport, query_ms, connect_ms, tls_ms, size, nsid }: Answer): string {
  const times = [`query ${msCell(query_ms)}`];
  if (connect_ms !== null) times.push(`connect ${msCell(connect_ms)}`);
  if (tls_ms !== null) times.push(`TLS ${msCell(tls_ms)}`);
  const who = nsid === undefined ? resolver : `${resolver} (${nsid})`;
  return [`;; server ${who} by ${transport}`, times.join(', '), ...(size === null ? [] : [`${size} bytes`])].join('; ');
}

/** Lines for what an honest path to an honest server does not show. */
function oddLines({ ignored, contradictions, case_folded, extended_errors, ...answer }: Answer): string[] {
  const lines = extended_errors.map(({ code, text }) => `;; extended error of the server: ${code} ${text}`.trimEnd());
  if (ignored > 0) lines.push(`;; messages ignored, because they did not respond to this query: ${ignored}`);
  if (contradictions > 0) lines.push(`;; further responses with other content: ${contradictions}`);
  if (case_folded) lines.push(';; the server changes the letter case of the question');
  if (isTooEarly(answer))
    lines.push(
      `;; the response arrived in less than half the round-trip time of the server (${msCell(answer.resolver_rtt_ms)})`,
    );
  return lines;
}

function traceRows(steps: readonly DnsTraceStep[]): string[][] {
  return steps.map((step, i) => [
    steps[i - 1]?.zone === step.zone ? '' : absolute(step.zone),
    serverText(step),
    msCell(step.query_ms),
    outcomeText(step),
  ]);
}

/** A server of a private root is known by its address alone. */
function serverText({ server, address }: DnsTraceStep): string {
  if (address === null) return server;
  return address.startsWith(server) || address.startsWith(`[${server}]`) ? address : `${server} (${address})`;
}

function outcomeText({ outcome, message, rcode, delegated_zone, delegated_servers }: DnsTraceStep): string {
  if (outcome === 'referral') return `-> ${absolute(delegated_zone ?? '')} ${delegated_servers.join(' ')}`;
  if (outcome === 'answer' || outcome === 'nodata' || outcome === 'nxdomain') return `${rcode}, ${outcome}`;
  return `${outcome.replace('_', ' ')}: ${message}`;
}

function absolute(zone: string): string {
  return zone === '.' ? '.' : `${zone}.`;
}
