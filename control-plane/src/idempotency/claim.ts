import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { IdempotencyClaim, Rendered } from '../http/idempotency.js';
import type { Logger } from '../log.js';
import type { Sealer } from '../sealing.js';
import { type Claimed, deleteClaim, updateLock, updateResponse } from './store.js';
import { encodeResponse } from './stored-response.js';

/** A request whose process died is free again after this. */
export const LOCK_MS = 60_000;

/** So two renewals may fail before anybody else takes a request that still runs. */
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

  /** Never rejects: the caller gets the answer, and one who asks again is told so or, after the lock, served again. */
  async store(response: Rendered): Promise<void> {
    this.#cancel();
    const { db, log, sealer } = this.options;
    try {
      const isMine = await updateResponse(db, this.row, sealer.seal(encodeResponse(response)));
      if (!isMine) log.warn('a request outlived the lock of its idempotency key: another one may have done the same');
    } catch (err) {
      log.error({ err }, 'the answer to an idempotency key is not kept');
    }
  }

  /** Never rejects: what is not given back now is free when its lock runs out. */
  async release(): Promise<void> {
    this.#cancel();
    await deleteClaim(this.options.db, this.row).catch((err: unknown) =>
      this.options.log.warn({ err }, 'an idempotency key is free only when its lock runs out'),
    );
  }

  #renewLater(): void {
    this.#cancel = this.options.clock.after(RENEW_EVERY_MS, () => void this.#renew(), { unref: true });
  }

  async #renew(): Promise<void> {
    const { db, clock, log } = this.options;
    this.#renewLater();
    await updateLock(db, this.row, new Date(clock.now() + LOCK_MS)).catch((err: unknown) =>
      log.warn({ err }, 'the lock of an idempotency key is not renewed'),
    );
  }
}
