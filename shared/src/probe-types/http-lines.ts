import { alignedRows, msCell } from './cells.js';
import type { TlsReport } from './tls-report.js';

/** Columns of the longest bar of the waterfall. */
const BAR_COLUMNS = 40;

const phaseTitles = [
  ['dns_ms', 'DNS'],
  ['tcp_ms', 'TCP'],
  ['tls_ms', 'TLS'],
  ['ttfb_ms', 'First byte'],
  ['download_ms', 'Download'],
] as const;

/** Members of an http result from which the lines are made. */
export interface HttpDialogue {
  readonly status_code: number | null;
  readonly final_url: string | null;
  readonly http_version: string | null;
  readonly response_ms: number | null;
  readonly redirects: readonly { readonly url: string; readonly status_code: number; readonly ms: number }[];
  readonly timing: { readonly [P in (typeof phaseTitles)[number][0]]: number | null };
  readonly tls: TlsReport | null;
}

/**
 * A line for every hop with its status, the phases of the last one as a waterfall, as browsers' network panels have it,
 * and what TLS agreed on. Phases that did not happen are left out.
 */
export function httpLines(result: HttpDialogue): string[] {
  const parts = [hopLines(result), waterfallLines(result), result.tls === null ? [] : tlsLines(result.tls)];
  return parts.filter((part) => part.length > 0).flatMap((part, i) => (i === 0 ? part : ['', ...part]));
}

function hopLines({ redirects, status_code: status, final_url: url, http_version: version }: HttpDialogue): string[] {
  const hops = redirects.map((hop) => [String(hop.status_code), msCell(hop.ms), hop.url]);
  const last = status === null ? [] : [[String(status), `HTTP/${version}`, url ?? '']];
  return alignedRows([...hops, ...last], new Set([1]));
}

function waterfallLines({ timing, response_ms: totalMs }: HttpDialogue): string[] {
  const phases = phaseTitles.flatMap(([name, title]) => {
    const ms = timing[name];
    return ms === null ? [] : [{ title, ms }];
  });
  const sumMs = phases.reduce((sum, { ms }) => sum + ms, 0);
  const columnsOf = (ms: number) => (sumMs === 0 ? 0 : Math.round((ms / sumMs) * BAR_COLUMNS));
  let beforeMs = 0;
  const rows = phases.map(({ title, ms }) => {
    const start = columnsOf(beforeMs);
    beforeMs += ms;
    return [title, msCell(ms), ' '.repeat(start) + '='.repeat(columnsOf(beforeMs) - start)];
  });
  return alignedRows(totalMs === null ? rows : [...rows, ['Total', msCell(totalMs)]], new Set([1]));
}

function tlsLines({ protocol, cipher, chain, authorized, authorization_error: reason }: TlsReport): string[] {
  const certificates = chain.map(({ subject, issuer, not_before: from, not_after: until }) => {
    return `${subject}, by ${issuer}, ${from.slice(0, 10)} to ${until.slice(0, 10)}`;
  });
  return [`${protocol} ${cipher}, ${authorized ? 'trusted' : `not trusted: ${reason}`}`, ...certificates];
}
