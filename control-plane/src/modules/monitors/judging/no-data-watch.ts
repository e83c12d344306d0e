import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { Rounds } from '../../../runtime/rounds.js';
import type { MaintenanceAt } from '../maintenance/maintenance-reads.js';
import { publishNoData } from './no-data.js';
import { claimSilent, noteNoData, type SilentMonitor } from './no-data-store.js';

const LOOK_MS = 30_000;
/** Time without data of a monitor before that is published, in milliseconds. */
const TOLD_AFTER_MS = 300_000;
const AT_ONCE = 100;

interface NoDataWatchOptions {
  readonly db: Knex;
  readonly maintenance: MaintenanceAt;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Publishes that a monitor has had no data for five minutes, while it runs; judging publishes the end. */
export class NoDataWatch {
  readonly #rounds: Rounds;

  constructor(private readonly options: NoDataWatchOptions) {
    const { clock, log } = options;
    this.#rounds = new Rounds({
      name: 'no data',
      everyMs: LOOK_MS,
      turn: (isStopped) => this.run(isStopped),
      onFailed: (error) => log.warn({ err: error }, 'cannot look for monitors without data, retrying'),
      clock,
    });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Examines all monitors without data. */
  async run(isStopped = () => false): Promise<void> {
    // by id: monitors in a maintenance window stay, and must not block those after them
    for (let afterId: string | null = ''; afterId !== null && !isStopped(); ) afterId = await this.#tellSome(afterId);
  }

  /** @returns the position to continue from; null: there are no more */
  #tellSome(afterId: string): Promise<string | null> {
    return this.options.db.transaction(async (trx) => {
      const silent = await claimSilent(trx, { forMs: TOLD_AFTER_MS, afterId, limit: AT_ONCE });
      const told = await this.#outsideWindows(trx, silent);
      for (const monitor of told) await publishNoData(trx, monitor, { since: monitor.changed_at, isOver: false });
      if (told.length > 0)
        await noteNoData(
          trx,
          told.map(({ id }) => id),
        );
      return silent.length < AT_ONCE ? null : (silent.at(-1)?.id ?? null);
    });
  }

  async #outsideWindows(trx: Knex, monitors: readonly SilentMonitor[]): Promise<SilentMonitor[]> {
    if (monitors.length === 0) return [];
    const { maintenance, clock } = this.options;
    const windows = await maintenance(trx, monitors, clock.now());
    return monitors.filter(({ id }) => windows.get(id)?.isNow !== true);
  }
}
