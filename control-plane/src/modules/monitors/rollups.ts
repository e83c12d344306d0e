import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { closableThrough, nextBuckets, type RollupLevel, rollupLevels } from './rollup-levels.js';
import {
  closeMinutes,
  insertBuckets,
  lockRollups,
  noteNewestChecks,
  readProgress,
  renewBuckets,
} from './rollup-store.js';

// Every replica looks once a minute; who has the lock makes what is to be made, one piece a transaction, and whoever dies
// leaves it to be made. What was made is the same however often and by whom: a bucket is always made from all that is below it.
//
//   close minutes ──> 1m: those of the dirty list again, then new ones ──> 15m: the same ──> 1h ──> 1d

const EVERY_MS = 60_000;
/** Its buckets are as long as the newest check of a monitor may go unnoted. */
const NOTING_LEVEL = '15m';

interface RollupsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Rolls checks up in the background, for as long as it runs. */
export class Rollups {
  #isStopped = false;
  #cancel: () => void = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly options: RollupsOptions) {}

  start(): void {
    if (this.#isStopped) return;
    this.#cancel = this.options.clock.after(EVERY_MS, () => {
      this.#running = this.run()
        .catch((error: unknown) => {
          if (!this.#isStopped) this.options.log.warn({ err: error }, 'checks not rolled up');
        })
        .finally(() => this.start());
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#running;
  }

  /** Rolls up all that can be; somebody else's work is left to them. */
  async run(): Promise<void> {
    const { db, clock } = this.options;
    await closeMinutes(db, closableThrough(clock.now()));
    for (const level of rollupLevels) {
      while (!this.#isStopped && (await this.#renew(level))) continue;
      while (!this.#isStopped && (await this.#build(level))) continue;
    }
  }

  /** @returns whether there may be more to do */
  #renew(level: RollupLevel): Promise<boolean> {
    return this.options.db.transaction(async (trx) => {
      if (!(await lockRollups(trx))) return false;
      return (await renewBuckets(trx, level, await readProgress(trx))) > 0;
    });
  }

  #build(level: RollupLevel): Promise<boolean> {
    return this.options.db.transaction(async (trx) => {
      if (!(await lockRollups(trx))) return false;
      const buckets = nextBuckets(level, await readProgress(trx));
      if (buckets === null) return false;
      await insertBuckets(trx, level, buckets);
      if (level.step === NOTING_LEVEL) await noteNewestChecks(trx, buckets);
      return true;
    });
  }
}
