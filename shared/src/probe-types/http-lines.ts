import { alignedRows, msCell } from './cells.js';
import { type PhaseBar, phaseBars } from './phase-bars.js';
import type { TlsReport } from './tls-report.js';

/** Columns of the longest bar of the waterfall: with a title and a time, a line fits 60 columns. */
const BAR_COLUMNS = 34;
const UNFINISHED = ' never ended ';

const phaseTitles = [
  ['dns_ms', 'DNS'],
  ['tcp_ms', 'TCP'],
  ['tls_ms', 'TLS'],
  ['ttfb_ms', 'First byte'],
  ['download_ms', 'Download'],
] as const;
type PhaseName = (typeof phaseTitles)[number][0];

/** Members of an http result from which the lines are made. */
export interface HttpDialogue {
  readonly status_code: number | null;
  readonly final_url: string | null;
  readonly http_version: string | null;
  readonly response_ms: number | null;
  readonly redirects: readonly { readonly url: string; readonly status_code: number; readonly ms: number }[];
  readonly timing: { readonly [P in PhaseName]: number | null };
  readonly tls: TlsReport | null;
  readonly error: { readonly code: string } | null;
  /** Start to end on the node, in milliseconds; known of results that a node sent. */
  readonly duration_ms?: number;
}

/**
 * A line for every hop with its status, the phases of the last one as a waterfall, as browsers' network panels have it,
 * and what TLS agreed on. Phases that did not happen are left out.
 */
export function httpLines(result: HttpDialogue): string[] {
  return apart([hopLines(result), waterfallLines(result), result.tls === null ? [] : tlsLines(result.tls)]);
}

/** The same lines without the times of phases, which are drawn elsewhere: they are equal for nodes that saw the same. */
export function httpDialogueLines(result: HttpDialogue): string[] {
  return apart([
    result.redirects.length === 0 ? [] : hopLines(result),
    result.tls === null ? [] : tlsLines(result.tls),
  ]);
}

function apart(parts: readonly (readonly string[])[]): string[] {
  return parts.filter((part) => part.length > 0).flatMap((part, i) => (i === 0 ? part : ['', ...part]));
}

function hopLines({ redirects, status_code: status, final_url: url, http_version: version }: HttpDialogue): string[] {
  const hops = redirects.map((hop) => [String(hop.status_code), msCell(hop.ms), hop.url]);
  const last = status === null ? [] : [[String(status), `HTTP/${version}`, url ?? '']];
  return alignedRows([...hops, ...last], new Set([1]));
}

/**
 * Phases of the last hop as bars, in a terminal and on pages; empty without a time. A name that is an address has no phase
 * DNS. After a timeout the phase that never ended has a bar too.
 */
export function httpBars(result: HttpDialogue): PhaseBar[] {
  const { timing } = result;
  const phases = phaseTitles.map(([name, title]) => {
    const ms = timing[name];
    return { name, title, ms: name === 'dns_ms' && ms === 0 ? null : ms };
  });
  const name = waitedFor(result);
  const redirectsMs = result.redirects.reduce((sum, { ms }) => sum + ms, 0);
  const wait = name === null ? null : { name, endMs: (result.duration_ms ?? 0) - redirectsMs };
  return phaseBars(phases, wait);
}

/** Phase that began and never ended; null if there is none, or nothing says how long it was waited for. */
function waitedFor({ error, timing, duration_ms }: HttpDialogue): PhaseName | null {
  if (duration_ms === undefined) return null;
  const name = phaseOf(error?.code, timing);
  return name !== null && timing[name] === null ? name : null;
}

function phaseOf(code: string | undefined, { ttfb_ms }: HttpDialogue['timing']): PhaseName | null {
  if (code === 'dns_timeout') return 'dns_ms';
  if (code === 'tcp_timeout') return 'tcp_ms';
  if (code === 'tls_handshake') return 'tls_ms';
  if (code !== 'http_timeout') return null;
  return ttfb_ms === null ? 'ttfb_ms' : 'download_ms';
}

function waterfallLines(result: HttpDialogue): string[] {
  const bars = httpBars(result);
  const columnOf = (place: number) => Math.round(place * BAR_COLUMNS);
  const rows = bars.map(({ title, ms, start, end, isUnfinished }) => {
    const length = Math.max(columnOf(end) - columnOf(start), isUnfinished ? 1 : 0);
    const bar = isUnfinished ? unfinishedBar(length) : '='.repeat(length);
    return [title, msCell(ms), ' '.repeat(columnOf(start)) + bar];
  });
  const totalMs = result.response_ms;
  return alignedRows(totalMs === null ? rows : [...rows, ['Total', msCell(totalMs)]], new Set([1]));
}

/** Dots with words in their middle, or before the end of the line where there is no room for them. */
function unfinishedBar(length: number): string {
  const room = length - UNFINISHED.length;
  if (room < 2) return `${'.'.repeat(length)}${UNFINISHED}`.trimEnd();
  const left = Math.floor(room / 2);
  return '.'.repeat(left) + UNFINISHED + '.'.repeat(room - left);
}

function tlsLines({ protocol, cipher, chain, authorized, authorization_error: reason }: TlsReport): string[] {
  const certificates = chain.map(({ subject, issuer, not_before: from, not_after: until }) => {
    return `${subject}, by ${issuer}, ${from.slice(0, 10)} to ${until.slice(0, 10)}`;
  });
  return [`${protocol} ${cipher}, ${authorized ? 'trusted' : `not trusted: ${reason}`}`, ...certificates];
}
