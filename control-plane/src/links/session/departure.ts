import { type Clock, delay } from '@vantage/shared/clock.js';
import type { Link } from './link.js';

/** Shortest interval at which links are closed; as many at a time as are necessary. */
const SHORTEST_STEP_MS = 100;
/** Time for an agent to reconnect elsewhere before the next one leaves; a few links wait no longer than that. */
const LONGEST_STEP_MS = 1_000;

/** Settings for sending agents away from a replica that stops. */
export interface DepartureOptions {
  /** Time by which all of them are gone. */
  readonly overMs: number;
  /** Addresses to connect to instead, any order; none: the agents know. */
  readonly urls: readonly string[];
  readonly clock: Clock;
  /** Aborted when the caller closes the remaining links itself. */
  readonly signal: AbortSignal;
}

/** Number of links to close together, and the delay before the next ones. */
export function planDeparture(links: number, overMs: number): { readonly perStep: number; readonly stepMs: number } {
  const stepMs = Math.min(LONGEST_STEP_MS, Math.max(SHORTEST_STEP_MS, Math.floor(overMs / Math.max(1, links))));
  const steps = Math.max(1, Math.floor(overMs / stepMs));
  return { perStep: Math.max(1, Math.ceil(links / steps)), stepMs };
}

/**
 * Sends the agents of these links elsewhere, spread over time, so that thousands do not reconnect at once, and over the
 * remaining replicas.
 */
export async function sendElsewhere(
  sessions: readonly Link[],
  { overMs, urls, clock, signal }: DepartureOptions,
): Promise<void> {
  const { perStep, stepMs } = planDeparture(sessions.length, overMs);
  for (const [index, session] of sessions.entries()) {
    if (index > 0 && index % perStep === 0) await delay(clock, stepMs, signal).catch(() => {});
    if (signal.aborted) return;
    session.close('CLOSE_DRAINING', 'this replica is stopping', { controlUrls: startingAt(urls, index) });
  }
}

/** List rotated to begin at another entry each time. */
function startingAt(urls: readonly string[], index: number): string[] {
  const start = urls.length === 0 ? 0 : index % urls.length;
  return [...urls.slice(start), ...urls.slice(0, start)];
}
