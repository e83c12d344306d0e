import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';

const INTERVAL_MS = 30_000;

interface UpgradeDeadlinesOptions {
  /** Ends upgrades that took too long, on nodes of all replicas. @returns the ids of the nodes */
  readonly failOverdue: () => Promise<string[]>;
  readonly announce: (nodeIds: readonly string[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Ends upgrades whose node never came back; every replica looks, one finds each. */
export class UpgradeDeadlines {
  #cancel: (() => void) | null = null;
  #isStopped = false;

  constructor(private readonly options: UpgradeDeadlinesOptions) {}

  start(): void {
    if (this.#isStopped) return;
    this.#cancel = this.options.clock.after(INTERVAL_MS, () => void this.#look().finally(() => this.start()));
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  async #look(): Promise<void> {
    const { failOverdue, announce, log } = this.options;
    try {
      const ids = await failOverdue();
      if (ids.length > 0) await announce(ids);
    } catch (error) {
      if (!this.#isStopped) log.warn({ err: error }, 'cannot look for overdue upgrades, retrying');
    }
  }
}
