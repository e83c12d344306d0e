import { type Clock, delay } from '@vantage/shared/clock.js';
import type { LinkSession } from './session.js';

/** Links are closed so often at most, as many at a time as it takes. */
const SHORTEST_STEP_MS = 100;
/** Time for an agent to be back elsewhere before the next one leaves; few need not wait longer than that. */
const LONGEST_STEP_MS = 1_000;

/** How agents leave a replica that goes away. */
export interface DepartureOptions {
  /** All of them are gone by then. */
  readonly overMs: number;
  /** Where to go instead, any order; none: the agents know. */
  readonly urls: readonly string[];
  readonly clock: Clock;
  /** Aborted: the rest is closed by whoever did that. */
  readonly signal: AbortSignal;
}

/** How many links to close together, and how long to wait until the next ones. */
export function planDeparture(links: number, overMs: number): { readonly perStep: number; readonly stepMs: number } {
  const stepMs = Math.min(LONGEST_STEP_MS, Math.max(SHORTEST_STEP_MS, Math.floor(overMs / Math.max(1, links))));
  const steps = Math.max(1, Math.floor(overMs / stepMs));
  return { perStep: Math.max(1, Math.ceil(links / steps)), stepMs };
}

/**
 * Sends the agents of these links elsewhere, spread over time so that thousands don't knock at the next replica at
 * once, and over the replicas that are left.
 */
export async function sendElsewhere(
  sessions: readonly LinkSession[],
  { overMs, urls, clock, signal }: DepartureOptions,
): Promise<void> {
  const { perStep, stepMs } = planDeparture(sessions.length, overMs);
  for (const [index, session] of sessions.entries()) {
    if (index > 0 && index % perStep === 0) await delay(clock, stepMs, signal).catch(() => {});
    if (signal.aborted) return;
    session.close('CLOSE_DRAINING', 'this replica is stopping', { controlUrls: startingAt(urls, index) });
  }
}

/** The same list, begun at another one each time. */
function startingAt(urls: readonly string[], index: number): string[] {
  const start = urls.length === 0 ? 0 : index % urls.length;
  return [...urls.slice(start), ...urls.slice(0, start)];
}
