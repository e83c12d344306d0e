import type { Clock } from '@vantage/shared/clock.js';

// Ten thousand agents come back at once. A bucket lets `perSecond` of them in each second; every other one is booked
// for a moment of its own, one after another at that same rate, so that those who wait come back spread:
//
//   tokens ──one each──> come in
//      └─ none left ──> wait until `booked`, which moves on by one place        booked < now: nobody waits any more

/** Nobody is told to wait longer: who is booked beyond that comes back, and is booked again. */
const LONGEST_WAIT_MS = 120_000;

/** What an accept limit remembers. */
export interface AdmissionState {
  /** Links that may come in at once, at most a second's worth. */
  readonly tokens: number;
  /** When that was so, monotonic. */
  readonly atMs: number;
  /** Until when places are taken, monotonic. */
  readonly bookedMs: number;
}

/** What becomes of one who asks at `nowMs`: `waitMs` 0 is to come in. */
export function planAdmission(
  { tokens, atMs, bookedMs }: AdmissionState,
  nowMs: number,
  perSecond: number,
): { readonly state: AdmissionState; readonly waitMs: number } {
  const earned = Math.min(perSecond, tokens + ((nowMs - atMs) / 1000) * perSecond);
  if (earned >= 1) return { state: { tokens: earned - 1, atMs: nowMs, bookedMs }, waitMs: 0 };
  const place = Math.max(nowMs, bookedMs) + 1000 / perSecond;
  const waitMs = Math.min(LONGEST_WAIT_MS, Math.max(1, Math.ceil(place - nowMs)));
  return { state: { tokens: earned, atMs: nowMs, bookedMs: Math.min(place, nowMs + LONGEST_WAIT_MS) }, waitMs };
}

/** How fast a replica accepts links. */
export class Admission {
  #state: AdmissionState;

  constructor(private readonly options: { readonly clock: Clock; readonly perSecond: number }) {
    this.#state = { tokens: options.perSecond, atMs: options.clock.monotonicMs(), bookedMs: 0 };
  }

  /** Milliseconds that one who asks now has to stay away; 0: it may come in. */
  ask(): number {
    const { clock, perSecond } = this.options;
    const { state, waitMs } = planAdmission(this.#state, clock.monotonicMs(), perSecond);
    this.#state = state;
    return waitMs;
  }
}
