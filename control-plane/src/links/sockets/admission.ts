import type { Clock } from '@vantage/shared/clock.js';

// Ten thousand agents come back at once. A bucket admits `perSecond` of them each second; every other one gets its own
// later time, one after another at the same rate, so that their reconnections are spread:
//
//   tokens ──one each──> come in
//      └─ none left ──> wait until `booked`, which moves on by one place        booked < now: no agent waits any more

/** Longest delay, in milliseconds: a peer that is booked beyond it comes back and is booked again. */
const LONGEST_WAIT_MS = 120_000;

/** State of an accept limit. */
export interface AdmissionState {
  /** Links that may open at once, at most a second's worth. */
  readonly tokens: number;
  /** Time of this state, monotonic, in milliseconds. */
  readonly atMs: number;
  /** End of the last booked place, monotonic, in milliseconds. */
  readonly bookedMs: number;
}

/** Decides about a peer that asks for admission at `nowMs`; `waitMs` 0: it is admitted. */
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

/** Rate at which a replica accepts links. */
export class Admission {
  #state: AdmissionState;

  constructor(private readonly options: { readonly clock: Clock; readonly perSecond: number }) {
    this.#state = { tokens: options.perSecond, atMs: options.clock.monotonicMs(), bookedMs: 0 };
  }

  /** Delay before the peer that asks now may try again, in milliseconds; 0: it is admitted. */
  ask(): number {
    const { clock, perSecond } = this.options;
    const { state, waitMs } = planAdmission(this.#state, clock.monotonicMs(), perSecond);
    this.#state = state;
    return waitMs;
  }
}
