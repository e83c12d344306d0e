import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';

const HOUR_MS = 3_600_000;

interface UpkeepOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Each may run on every replica at once. */
  readonly tasks: readonly (() => Promise<void>)[];
}

/**
 * Hourly housekeeping of the database; every task is idempotent and safe in parallel with other replicas. An hour that
 * comes round while the last one's tasks still run is caught up on when they end; several such hours count once.
 */
export class Upkeep {
  #cancel: (() => void) | null = null;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;
  #isWaiting = false;

  constructor(private readonly options: UpkeepOptions) {}

  start(): void {
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#running;
  }

  #schedule(): void {
    this.#cancel = this.options.clock.after(HOUR_MS, () => {
      this.#schedule();
      if (this.#isWaiting) return;
      this.#isWaiting = true;
      this.#running = this.#running.then(() => this.#run());
    });
  }

  async #run(): Promise<void> {
    this.#isWaiting = false;
    for (const task of this.options.tasks) {
      if (this.#isStopped) return;
      await task().catch((error: unknown) => this.options.log.error({ err: error }, 'upkeep failed'));
    }
  }
}
