import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Sealer } from '../crypto/sealing.js';
import type { IdempotencyClaim, Rendered } from '../http/frame/idempotency.js';
import type { Logger } from '../runtime/log.js';
import { type Claimed, deleteClaim, updateLock, updateResponse } from './store.js';
import { encodeResponse } from './stored-response.js';

/** A request whose process died is free again after this. */
export const LOCK_MS = 60_000;

/** Interval of renewals, in milliseconds: two may fail before another replica takes over a request that still runs. */
const RENEW_EVERY_MS = 20_000;

interface ClaimOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sealer: Sealer;
}

/** The first request with a key, while it runs: keeps its row locked until it is answered. */
export class FirstClaim implements Extract<IdempotencyClaim, { kind: 'first' }> {
  readonly kind = 'first';
  #cancel = () => {};

  constructor(
    private readonly row: Claimed,
    private readonly options: ClaimOptions,
  ) {
    this.#renewLater();
  }

  /**
   * Stores the response. Never rejects: the caller gets it anyway. If it cannot be stored, a repeated request is
   * refused as still running or, after the lock has expired, is executed again.
   */
  async store(response: Rendered): Promise<void> {
    this.#cancel();
    const { db, log, sealer } = this.options;
    try {
      const isMine = await updateResponse(db, this.row, sealer.seal(encodeResponse(response)));
      if (!isMine) log.warn('request outlived the lock of its idempotency key: it may have run twice');
    } catch (err) {
      log.error({ err }, 'cannot store the response for an idempotency key');
    }
  }

  /** Releases the row. Never rejects: a row that is not released now is free when its lock expires. */
  async release(): Promise<void> {
    this.#cancel();
    await deleteClaim(this.options.db, this.row).catch((err: unknown) =>
      this.options.log.warn({ err }, 'cannot release an idempotency key before its lock expires'),
    );
  }

  #renewLater(): void {
    this.#cancel = this.options.clock.after(RENEW_EVERY_MS, () => void this.#renew(), { unref: true });
  }

  async #renew(): Promise<void> {
    const { db, clock, log } = this.options;
    this.#renewLater();
    await updateLock(db, this.row, new Date(clock.now() + LOCK_MS)).catch((err: unknown) =>
      log.warn({ err }, 'cannot renew the lock of an idempotency key'),
    );
  }
}
