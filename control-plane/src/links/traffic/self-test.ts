import type { Clock } from '@vantage/shared/clock.js';
import type { DecodedAgentFrame } from '@vantage/shared/protocol/codec.js';
import { type SelfTestReport, selfTestNames, selfTestStatuses } from '@vantage/shared/self-test.js';

/** Self-test as it arrived over the link. */
export type SelfTestMessage = NonNullable<NonNullable<DecodedAgentFrame['heartbeat']>['selfTest']>;

const MAX_DETAIL_LENGTH = 200;
/** End of the year 9999: a later time is no date. */
const LAST_DATE_MS = 253_402_300_799_999;
/** Shortest time between two stored reports; an agent tests itself every ten minutes. */
const REST_MS = 1_000;

/** Results of the checks that this build knows, each once; a node may send anything. */
export function parseSelfTest({ finishedAtMs, checks }: SelfTestMessage): SelfTestReport {
  const known = selfTestNames.flatMap((name) => {
    const check = checks.find((candidate) => candidate.name === name);
    const status = selfTestStatuses.find((word) => word === check?.status);
    if (check === undefined || status === undefined) return [];
    return [{ name, status, detail: printable(check.detail) }];
  });
  return { finishedAt: Math.min(Math.max(0, finishedAtMs), LAST_DATE_MS), checks: known };
}

function printable(text: string): string {
  return text.slice(0, MAX_DETAIL_LENGTH).replace(/[\p{Cc}\p{Cs}]/gu, ' ');
}

interface SelfTestsInParts {
  readonly clock: Clock;
  readonly store: (report: SelfTestReport) => Promise<void>;
  readonly onFailed: (error: unknown) => void;
}

/** Stores the self-tests of the node of one link: one at a time, and of those that arrive meanwhile the newest. */
export class SelfTestsIn {
  readonly #parts: SelfTestsInParts;
  #newest: SelfTestMessage | null = null;
  #isBusy = false;
  #cancelRest: (() => void) | null = null;

  constructor(parts: SelfTestsInParts) {
    this.#parts = parts;
  }

  /**
   * Stores a self-test, or the newest one after a pause. A failed write is not repeated: the agent reports again in ten
   * minutes.
   */
  take(message: SelfTestMessage): void {
    this.#newest = message;
    if (!this.#isBusy) void this.#storeNewest();
  }

  /** Discards the self-test that waits. */
  end(): void {
    this.#newest = null;
    this.#cancelRest?.();
  }

  async #storeNewest(): Promise<void> {
    const message = this.#newest;
    this.#newest = null;
    this.#isBusy = message !== null;
    if (message === null) return;
    const { clock, store, onFailed } = this.#parts;
    await store(parseSelfTest(message)).catch(onFailed);
    this.#cancelRest = clock.after(REST_MS, () => void this.#storeNewest(), { unref: true });
  }
}
