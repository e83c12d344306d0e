import { type HttpDialogue, httpBars } from '@vantage/shared/probe-types/http-lines.js';
import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import { type Phase, type PhaseBar, phaseBars } from '@vantage/shared/probe-types/phase-bars.js';
import type { NodeResultView } from '../../probes/index.js';

/** Phases of a result as bars, on its own scale; none for a type that has no phases. */
export function resultPhases(type: ProbeType, result: NodeResultView): PhaseBar[] {
  if (type === 'http') return httpBars(result as unknown as HttpDialogue);
  const phases = phasesOf(type, result);
  return phases.length === 0 ? [] : phaseBars(phases, waitOf(phases, result));
}

/** Whole duration of some bars in milliseconds. */
export function durationOf(bars: readonly PhaseBar[]): number {
  return bars.reduce((sum, { ms }) => sum + ms, 0);
}

function phasesOf(type: ProbeType, result: NodeResultView): Phase[] {
  const timing = (result['timing'] ?? {}) as Readonly<Record<string, number | null>>;
  const rtt = (result['rtt'] ?? {}) as Readonly<Record<string, number | null>>;
  switch (type) {
    case 'tcp':
      return [phase('dns_ms', 'DNS', result['dns_ms']), phase('tcp_ms', 'TCP', result['connect_ms'])];
    case 'dns':
      return [phase('query_ms', 'Query', result['query_ms'])];
    case 'ping':
      return [phase('rtt_ms', 'Round trip', rtt['avg_ms'])];
    case 'ntp':
      return [phase('rtt_ms', 'Round trip', result['delay_ms'])];
    case 'smtp':
      return [
        phase('dns_ms', 'DNS', timing['dns_ms']),
        phase('tcp_ms', 'TCP', timing['tcp_ms']),
        phase('ttfb_ms', 'Greeting', timing['banner_ms']),
        phase('download_ms', 'EHLO', timing['ehlo_ms']),
      ];
    default:
      return [];
  }
}

/** A phase; a name that was an address has no phase DNS. */
function phase(name: string, title: string, value: unknown): Phase {
  const ms = typeof value === 'number' && !(name === 'dns_ms' && value === 0) ? value : null;
  return { name, title, ms };
}

/** Phase that a timeout cut: the first one without an end after the last one that ended. */
function waitOf(phases: readonly Phase[], { error, duration_ms: duration }: NodeResultView) {
  const isTimeout = error !== null && /(?:timeout|no_reply)$/.test(error.code);
  if (!isTimeout || typeof duration !== 'number') return null;
  const isDns = error.code.startsWith('dns_');
  const cut = phases.find(({ name, ms }) => ms === null && (name === 'dns_ms') === isDns);
  return cut === undefined ? null : { name: cut.name, endMs: duration };
}
