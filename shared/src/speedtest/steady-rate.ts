/** Bytes that had arrived at an instant. */
export interface Arrival {
  /** Monotonic milliseconds. */
  readonly atMs: number;
  /** Bytes since the start, this instant included. */
  readonly bytes: number;
}

/** Share of a transfer that is its ramp-up, and how long a ramp-up takes at most. */
const RAMP_RATIO = 0.3;
const MAX_RAMP_MS = 2000;

/**
 * Bits per second of a transfer once it is under way: the first 30 % of its time, two seconds at most, in which TCP
 * feels its way up, are left out; the rest is what arrived after that by the time it took. Null for a transfer that
 * arrived all at once.
 */
export function steadyRate(arrivals: readonly Arrival[]): number | null {
  const first = arrivals[0];
  const last = arrivals.at(-1);
  if (first === undefined || last === undefined) return null;
  const cutMs = first.atMs + Math.min(MAX_RAMP_MS, (last.atMs - first.atMs) * RAMP_RATIO);
  const from = arrivals.findLast(({ atMs }) => atMs <= cutMs) ?? first;
  const ms = last.atMs - from.atMs;
  return ms > 0 ? ((last.bytes - from.bytes) * 8 * 1000) / ms : null;
}
