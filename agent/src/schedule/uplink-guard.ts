import type { Clock } from '@vantage/shared/clock.js';
import type { Canary } from '@vantage/shared/self-test.js';
import { isConclusive } from '../self-test/judge.js';
import type { SelfProbes } from '../self-test/self-probes.js';

/** Time for which the verdict of one run counts, in milliseconds. */
const FRESH_MS = 5000;
const CANARY_TIMEOUT_MS = 3000;

interface Verdict {
  readonly isLost: boolean;
  /** Monotonic. */
  readonly foundMs: number;
}

interface UplinkGuardOptions {
  readonly probes: Pick<SelfProbes, 'canary'>;
  readonly clock: Clock;
}

/**
 * Finds out if this node's own network is down, in which case failed checks say nothing of their targets. Concurrent
 * callers share one run of the canaries.
 */
export class UplinkGuard {
  readonly #options: UplinkGuardOptions;
  #canaries: readonly Canary[] = [];
  #latest: Verdict | null = null;
  #checking: Promise<boolean> | null = null;

  constructor(options: UplinkGuardOptions) {
    this.#options = options;
  }

  setCanaries(canaries: readonly Canary[]): void {
    this.#canaries = canaries;
    this.#latest = null;
  }

  /**
   * True if the network is lost: only when none of the canaries that could be probed answers, and never without
   * canaries.
   */
  isLost(): Promise<boolean> {
    if (this.#canaries.length === 0) return Promise.resolve(false);
    const latest = this.#latest;
    if (latest !== null && this.#options.clock.monotonicMs() - latest.foundMs < FRESH_MS)
      return Promise.resolve(latest.isLost);
    this.#checking ??= this.#ask(this.#canaries);
    return this.#checking;
  }

  async #ask(canaries: readonly Canary[]): Promise<boolean> {
    const { probes, clock } = this.#options;
    const asked = canaries.map(async (canary) => ({ canary, code: await probes.canary(canary, CANARY_TIMEOUT_MS) }));
    const answers = await Promise.all(asked);
    const conclusive = answers.filter(isConclusive);
    const isLost = conclusive.length > 0 && conclusive.every(({ code }) => code !== null);
    if (canaries === this.#canaries) this.#latest = { isLost, foundMs: clock.monotonicMs() };
    this.#checking = null;
    return isLost;
  }
}
