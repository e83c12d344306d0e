import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { Rounds } from '../../../runtime/rounds.js';
import { closableThrough, nextBuckets, type RollupLevel, rollupLevels } from './rollup-levels.js';
import {
  closeMinutes,
  insertBuckets,
  lockRollups,
  noteNewestChecks,
  readProgress,
  renewBuckets,
} from './rollup-store.js';

// Every replica looks once a minute; the one with the lock rolls up, one part per transaction, and a replica that dies
// leaves the rest to be done. Repetition does not change the result: a bucket is always made from everything below it.
//
//   close minutes ──> 1m: those of the dirty list again, then new ones ──> 15m: the same ──> 1h ──> 1d

const EVERY_MS = 60_000;
/** Level whose buckets are as long as the newest check of a monitor may stay unrecorded. */
const NOTING_LEVEL = '15m';

interface RollupsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Rolls up checks in the background, while it runs. */
export class Rollups {
  readonly #rounds: Rounds;

  constructor(private readonly options: RollupsOptions) {
    const { clock, log } = options;
    this.#rounds = new Rounds({
      name: 'rollups',
      everyMs: EVERY_MS,
      turn: (isStopped) => this.run(isStopped),
      onFailed: (error) => log.warn({ err: error }, 'cannot roll up checks, retrying'),
      clock,
    });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Rolls up everything that can be; does nothing while another replica has the lock. */
  async run(isStopped = () => false): Promise<void> {
    const { db, clock } = this.options;
    await closeMinutes(db, closableThrough(clock.now()));
    for (const level of rollupLevels) {
      while (!isStopped() && (await this.#renew(level))) continue;
      while (!isStopped() && (await this.#build(level))) continue;
    }
  }

  /** @returns true if there may be more to do */
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
