import type { Clock } from '@vantage/shared/clock.js';

const DEFAULT_SECONDS = 86_400;

/** State of the lease that outlives the process. */
export interface KeptLease {
  /** The last contact, server time, milliseconds since the epoch; null if not known. */
  readonly contactAt: number | null;
  readonly seconds: number;
}

/**
 * Time for which this node may continue without its control plane, because its monitors may be assigned to other
 * nodes by then. Counted from the last contact, on the monotonic clock and on server time, which includes sleep and
 * continues over restarts.
 */
export class Lease {
  readonly #clock: Clock;
  readonly #serverNow: () => number | null;
  #seconds: number;
  #isLinked = false;
  #contactMs: number | null = null;
  #contactAt: number | null;

  constructor(options: {
    readonly clock: Clock;
    readonly serverNow: () => number | null;
    readonly kept: KeptLease | null;
  }) {
    this.#clock = options.clock;
    this.#serverNow = options.serverNow;
    this.#seconds = options.kept?.seconds || DEFAULT_SECONDS;
    this.#contactAt = options.kept?.contactAt ?? null;
  }

  /** 0: a day. */
  setSeconds(seconds: number): void {
    this.#seconds = seconds || DEFAULT_SECONDS;
  }

  /** While a link is open there is contact; its end is the last one. */
  linkIs(isOpen: boolean): void {
    if (isOpen || this.#isLinked) this.#touch();
    this.#isLinked = isOpen;
  }

  get isOver(): boolean {
    if (this.#isLinked) return false;
    const now = this.#serverNow();
    const onServerTime = now === null || this.#contactAt === null ? 0 : now - this.#contactAt;
    const monotonic = this.#contactMs === null ? 0 : this.#clock.monotonicMs() - this.#contactMs;
    return Math.max(onServerTime, monotonic) > this.#seconds * 1000;
  }

  /** State of the lease for the next process. */
  keep(): KeptLease {
    if (this.#isLinked) this.#touch();
    return { contactAt: this.#contactAt, seconds: this.#seconds };
  }

  #touch(): void {
    this.#contactMs = this.#clock.monotonicMs();
    this.#contactAt = this.#serverNow() ?? this.#contactAt;
  }
}
