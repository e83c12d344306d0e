import type { Knex } from 'knex';
import { type BackgroundParts, background, type Rounds } from '../../../runtime/background.js';
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

/** Rolls up everything that can be; does nothing while another replica has the lock. */
export function rollups({ db, clock, log }: BackgroundParts): Rounds {
  return background({
    name: 'rollups',
    everyMs: EVERY_MS,
    look: async (isStopped) => {
      await closeMinutes(db, closableThrough(clock.now()));
      for (const level of rollupLevels) {
        while (!isStopped() && (await renew(db, level))) continue;
        while (!isStopped() && (await build(db, level))) continue;
      }
    },
    failing: 'cannot roll up checks, retrying',
    clock,
    log,
  });
}

/** @returns true if there may be more to do */
function renew(db: Knex, level: RollupLevel): Promise<boolean> {
  return db.transaction(async (trx) => {
    if (!(await lockRollups(trx))) return false;
    return (await renewBuckets(trx, level, await readProgress(trx))) > 0;
  });
}

/** @returns true if there may be more to do */
function build(db: Knex, level: RollupLevel): Promise<boolean> {
  return db.transaction(async (trx) => {
    if (!(await lockRollups(trx))) return false;
    const buckets = nextBuckets(level, await readProgress(trx));
    if (buckets === null) return false;
    await insertBuckets(trx, level, buckets);
    if (level.step === NOTING_LEVEL) await noteNewestChecks(trx, buckets);
    return true;
  });
}
