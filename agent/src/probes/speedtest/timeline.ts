import type { Arrival } from '@vantage/shared/speedtest/steady-rate.js';

/** Arrivals closer together than this become one: a server may send byte by byte. */
const STEP_MS = 5;

/** Arrival of bytes over time. */
export class Timeline {
  readonly #arrivals: { atMs: number; bytes: number }[] = [];
  #startedStepMs = Number.NEGATIVE_INFINITY;

  /** `atMs`: monotonic milliseconds; `bytes`: since the beginning, these included. */
  add(atMs: number, bytes: number): void {
    const last = this.#arrivals.at(-1);
    if (last !== undefined && this.#arrivals.length > 1 && atMs - this.#startedStepMs < STEP_MS) {
      last.atMs = atMs;
      last.bytes = bytes;
      return;
    }
    this.#startedStepMs = atMs;
    this.#arrivals.push({ atMs, bytes });
  }

  get arrivals(): readonly Arrival[] {
    return this.#arrivals;
  }

  /** Bytes that have arrived so far. */
  get bytes(): number {
    return this.#arrivals.at(-1)?.bytes ?? 0;
  }

  /** Time from the first entry to the last, in milliseconds; null before the first byte. */
  get ms(): number | null {
    const [first] = this.#arrivals;
    const last = this.#arrivals.at(-1);
    return first === undefined || last === undefined || last.bytes === 0 ? null : last.atMs - first.atMs;
  }
}
