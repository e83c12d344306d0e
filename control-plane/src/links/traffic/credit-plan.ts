import type { IngestPressure } from '../../ingest/index.js';
import type { LaneNumbers } from '../records/catch-up.js';

// Rows that agents may have in flight, computed from the lag of PostgreSQL. One number, the share, changes:
//
//   lag < 500 ms: doubles every half second, up to 1  ·  500 ms .. 2 s: halves every half second  ·  beyond: 0
//
// and is divided among the links. Lane check stops first and resumes gradually, and the total in flight has a bound
// that does not grow with the number of links. Lane task is small and never stops, because users wait for it.

/** Rows in flight over all links of a replica: about 200 MB of results of the usual size. */
export const BUDGET_ROWS = 200_000;
/** Rows of one lane of one link at most. */
export const MOST_ROWS = 2_000;
/** Rows that lane task always keeps: one batch. */
export const TASK_ROWS = 100;
/** The share that growth begins at. */
const LEAST_SHARE = 1 / 64;
/** Time in which the share doubles or halves. */
const STEP_MS = 500;
const SLOW = { waitMs: 500, waitingBytes: 16 * 1024 * 1024 };
const STOP = { waitMs: 2_000, waitingBytes: 64 * 1024 * 1024 };

/** The share of full credit (0..1) for lane check, `elapsedMs` after it was `share`. */
export function planShare(share: number, pressure: IngestPressure, elapsedMs: number): number {
  if (isOver(pressure, STOP)) return 0;
  const factor = 2 ** (Math.max(0, elapsedMs) / STEP_MS);
  if (isOver(pressure, SLOW)) return Math.max(Math.min(share, LEAST_SHARE), share / factor);
  return Math.min(1, Math.max(share * factor, LEAST_SHARE));
}

function isOver(pressure: IngestPressure, limit: IngestPressure): boolean {
  return pressure.waitMs >= limit.waitMs || pressure.waitingBytes >= limit.waitingBytes;
}

/** Rows that a replica lets a link have in flight. */
export interface CreditPlan {
  /** For a link that has little to deliver. */
  readonly quiet: LaneNumbers;
  /** For a link with a backlog. */
  readonly busy: LaneNumbers;
}

/**
 * Divides the share: half of the budget evenly among all `links`, the other half evenly among those `withBacklog`.
 * Numbers are powers of two, or the most there is, so that one more link changes nothing for most of the others. A link
 * has at least one row unless the share is 0: all links together may exceed their share of the budget by a row each.
 */
export function planCredits(share: number, links: number, withBacklog: number): CreditPlan {
  const half = (share * BUDGET_ROWS) / 2;
  const quiet = half / Math.max(1, links);
  const busy = quiet + half / Math.max(1, withBacklog);
  return { quiet: lanesOf(quiet, share), busy: lanesOf(busy, share) };
}

function lanesOf(rows: number, share: number): LaneNumbers {
  const check = share === 0 ? 0 : stepOf(Math.min(rows, share * MOST_ROWS));
  return { task: Math.max(TASK_ROWS, check), check };
}

function stepOf(rows: number): number {
  return rows >= MOST_ROWS ? MOST_ROWS : 2 ** Math.floor(Math.log2(Math.max(1, rows)));
}
