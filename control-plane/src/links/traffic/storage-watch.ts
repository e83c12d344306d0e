import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';

//   stored ──fails──> away ──a statement works, and the wait is over──> back: everybody begins again
//
// A database that responds but stores nothing (a full disk) is tried after growing delays; one that was unavailable is
// found within a quarter of a second.

const LOOK_MS = 250;
const LONGEST_WAIT_MS = 5_000;

interface StorageWatchOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Rejects while the database is unavailable. */
  readonly check: () => Promise<void>;
  readonly isStopping: () => boolean;
}

/**
 * Decides when storing is worth another attempt, for all links of this replica: their agents keep what was not stored.
 */
export class StorageWatch {
  readonly #options: StorageWatchOptions;
  #failures = 0;
  #returning: Promise<void> | null = null;

  constructor(options: StorageWatchOptions) {
    this.#options = options;
  }

  /** Notes that something was stored. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** Notes that something could not be stored. Resolves when another attempt is worthwhile, or this replica stops. */
  failed(reason: unknown): Promise<void> {
    this.#returning ??= this.#wait(reason).finally(() => {
      this.#returning = null;
    });
    return this.#returning;
  }

  async #wait(reason: unknown): Promise<void> {
    const { clock, log, check, isStopping } = this.#options;
    const sinceMs = clock.monotonicMs();
    log.warn({ err: reason }, 'cannot store results: agents keep them');
    await pause(clock, Math.min(LONGEST_WAIT_MS, LOOK_MS * 2 ** this.#failures));
    this.#failures += 1;
    while (!isStopping() && !(await isFine(check))) await pause(clock, LOOK_MS);
    log.info({ awayMs: Math.round(clock.monotonicMs() - sinceMs) }, 'database is available: agents deliver again');
  }
}

/** Resolves after `ms` milliseconds; its timer keeps no process alive. */
function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve, { unref: true });
  });
}

async function isFine(check: () => Promise<void>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch {
    return false;
  }
}
