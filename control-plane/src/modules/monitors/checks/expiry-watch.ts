import type { Knex } from 'knex';
import { publish } from '../../../events/index.js';
import { type BackgroundParts, background, type Rounds } from '../../../runtime/background.js';
import { monitorName, subjectOf } from '../events/event-fields.js';
import { type ExpiringMonitor, insertExpiryNotices, listExpiring } from './expiry-store.js';
import { passedThresholds } from './expiry-thresholds.js';

const LOOK_MS = 60_000;
/** The longest interval is a day. */
const LOOK_BACK_MS = 90_000_000;
const AT_ONCE = 500;

/** Publishes the expiry of certificates and domains, once per threshold and date. */
export function expiryWatch({ db, clock, log }: BackgroundParts): Rounds {
  return background({
    name: 'expiry',
    everyMs: LOOK_MS,
    look: async (isStopped) => {
      const sinceMs = clock.now() - LOOK_BACK_MS;
      for (let afterId: string | null = ''; afterId !== null && !isStopped(); ) {
        const found: ExpiringMonitor[] = await listExpiring(db, { sinceMs, afterId, limit: AT_ONCE });
        for (const monitor of found) await publishExpiry(db, monitor, clock.now());
        afterId = found.length < AT_ONCE ? null : (found.at(-1)?.id ?? null);
      }
    },
    failing: 'cannot look for certificates and domains that expire, retrying',
    clock,
    log,
  });
}

/** Publishes the smallest of the thresholds passed since the last look, and records all of them as published. */
async function publishExpiry(db: Knex, monitor: ExpiringMonitor, nowMs: number): Promise<void> {
  const { id, warn_days: warn, critical_days: critical, expires_at: moment } = monitor;
  const near = passedThresholds(moment, [warn, critical], nowMs);
  if (near === null) return;
  const { expiresAt, daysLeft, thresholds } = near;
  await db.transaction(async (trx) => {
    const [threshold] = await insertExpiryNotices(trx, id, { expiresAt, thresholds });
    // a threshold other than the smallest was passed while a smaller one was published
    if (threshold === undefined || threshold !== thresholds[0]) return;
    const kind = monitor.type === 'ssl_expiry' ? 'ssl.expiring' : 'domain.expiring';
    const payload = {
      monitor: monitorName(monitor),
      expires_at: expiresAt.toISOString(),
      days_left: daysLeft,
      threshold_days: threshold,
    };
    await publish(trx, { kind, ...subjectOf(monitor), payload });
  });
}
