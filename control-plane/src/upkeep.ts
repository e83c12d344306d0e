import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';

const HOUR_MS = 3_600_000;

interface UpkeepOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Each may run on every replica at once. */
  readonly tasks: readonly (() => Promise<void>)[];
}

/** Hourly housekeeping of the database; every task is idempotent and safe beside other replicas. */
export class Upkeep {
  #cancel: (() => void) | null = null;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

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
    if (this.#isStopped) return;
    this.#cancel = this.options.clock.after(HOUR_MS, () => {
      this.#running = this.#run().finally(() => this.#schedule());
    });
  }

  async #run(): Promise<void> {
    for (const task of this.options.tasks) {
      await task().catch((error: unknown) => this.options.log.error({ err: error }, 'upkeep failed'));
    }
  }
}
