import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { publish } from '../../../events/index.js';
import { Rounds } from '../../../runtime/rounds.js';
import { monitorName, subjectOf } from '../events/happening.js';
import { type ExpiringMonitor, insertExpiryNotices, listExpiring } from './expiry-store.js';
import { passedThresholds } from './expiry-thresholds.js';

const LOOK_MS = 60_000;
/** The longest interval is a day. */
const LOOK_BACK_MS = 90_000_000;
const AT_ONCE = 500;

interface ExpiryWatchOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Publishes the expiry of certificates and domains, once per threshold and date, while it runs. */
export class ExpiryWatch {
  readonly #rounds: Rounds;

  constructor(private readonly options: ExpiryWatchOptions) {
    const { clock, log } = options;
    this.#rounds = new Rounds({
      name: 'expiry',
      everyMs: LOOK_MS,
      turn: (isStopped) => this.run(isStopped),
      onFailed: (error) => log.warn({ err: error }, 'cannot look for certificates and domains that expire, retrying'),
      clock,
    });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Examines all monitors of certificates and domains. */
  async run(isStopped = () => false): Promise<void> {
    const { db, clock } = this.options;
    const sinceMs = clock.now() - LOOK_BACK_MS;
    for (let afterId: string | null = ''; afterId !== null && !isStopped(); ) {
      const found: ExpiringMonitor[] = await listExpiring(db, { sinceMs, afterId, limit: AT_ONCE });
      for (const monitor of found) await this.#tell(monitor);
      afterId = found.length < AT_ONCE ? null : (found.at(-1)?.id ?? null);
    }
  }

  /** Publishes the smallest of the thresholds passed since the last look, and records all of them as published. */
  async #tell(monitor: ExpiringMonitor): Promise<void> {
    const { db, clock } = this.options;
    const { id, warn_days: warn, critical_days: critical, expires_at: moment } = monitor;
    const near = passedThresholds(moment, [warn, critical], clock.now());
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
}
