import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@vantage/shared/clock.js';

/** Desired precision of an anchor, in milliseconds. */
const WANTED_ERROR_MS = 0.01;
/** A little longer than the step of the wall clock. */
const LONGEST_SEARCH_MS = 3;
/** Greatest number of attempts, for clocks that do not move. */
const MAX_TURNS = 1000;

/** Offset to add to monotonic milliseconds for the wall clock, milliseconds since 1970. */
export interface WallAnchor {
  readonly offsetMs: number;
  /** Greatest error of `offsetMs` in either direction. */
  readonly errorMs: number;
}

/**
 * Joins the two clocks. The wall clock is only read in whole milliseconds, so each reading leaves a millisecond open;
 * readings on both sides of a step leave next to nothing. Looks once per turn of the loop, for which others need not
 * wait; a busy loop makes the error larger, and the error is reported.
 */
export async function anchorWall(clock: Clock): Promise<WallAnchor> {
  const startedAt = clock.monotonicMs();
  let low = Number.NEGATIVE_INFINITY;
  let high = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const before = clock.monotonicMs();
    const wall = clock.now();
    const after = clock.monotonicMs();
    low = Math.max(low, wall - after);
    high = Math.min(high, wall + 1 - before);
    if (high < low) [low, high] = [wall - after, wall + 1 - before]; // the wall clock was set
    if ((high - low) / 2 <= WANTED_ERROR_MS || after - startedAt > LONGEST_SEARCH_MS) break;
    await nextTurn();
  }
  return { offsetMs: (low + high) / 2, errorMs: (high - low) / 2 };
}
