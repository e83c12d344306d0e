import { sized } from '../harness.js';

const WINDOWS = 3;
const WITHIN = 0.05;
/** Longest warm-up in seconds, one window each. */
export const MOST_SECONDS = sized(15, 1);
/** Length of a window in milliseconds. */
export const WINDOW_MS = sized(1_000, 300);

/** The rule of warm-ups, for documents. */
export const steadyRule = `three successive windows of one second with rates within ${100 * WITHIN} % of each other, at most ${MOST_SECONDS} s`;

/** True if the last three rates lie within 5 % of each other: V8 has compiled what is hot, and caches and pools are full. */
export function isSteady(rates: readonly number[]): boolean {
  const last = rates.slice(-WINDOWS);
  return last.length === WINDOWS && !last.includes(0) && Math.max(...last) <= Math.min(...last) * (1 + WITHIN);
}
