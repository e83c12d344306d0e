import { type BackgroundParts, background, type Rounds } from '../../../runtime/background.js';
import type { MaintenanceAt } from '../maintenance/maintenance-reads.js';
import { publishNoData } from './no-data.js';
import { claimSilent, noteNoData } from './no-data-store.js';

const LOOK_MS = 30_000;
/** Time without data of a monitor before that is published, in milliseconds. */
const PUBLISHED_AFTER_MS = 300_000;
const AT_ONCE = 100;

interface NoDataWatchOptions extends BackgroundParts {
  readonly maintenance: MaintenanceAt;
}

/** Publishes that a monitor has had no data for five minutes; judging publishes the end. */
export function noDataWatch(options: NoDataWatchOptions): Rounds {
  const { clock, log } = options;
  return background({
    name: 'no data',
    everyMs: LOOK_MS,
    look: async (isStopped) => {
      // by id: monitors in a maintenance window stay, and must not block those after them
      for (let afterId: string | null = ''; afterId !== null && !isStopped(); )
        afterId = await publishSome(options, afterId);
    },
    failing: 'cannot look for monitors without data, retrying',
    clock,
    log,
  });
}

/** @returns the position to continue from; null if there are no more */
function publishSome({ db, maintenance, clock }: NoDataWatchOptions, afterId: string): Promise<string | null> {
  return db.transaction(async (trx) => {
    const silent = await claimSilent(trx, { forMs: PUBLISHED_AFTER_MS, afterId, limit: AT_ONCE });
    if (silent.length === 0) return null;
    const windows = await maintenance(trx, silent, clock.now());
    const outside = silent.filter(({ id }) => windows.get(id)?.isNow !== true);
    for (const monitor of outside) await publishNoData(trx, monitor, { since: monitor.changed_at, isOver: false });
    if (outside.length > 0)
      await noteNoData(
        trx,
        outside.map(({ id }) => id),
      );
    return silent.length < AT_ONCE ? null : (silent.at(-1)?.id ?? null);
  });
}
