import { randomBytes } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import { isSameHash } from '@vantage/shared/tokens.js';
import type { Knex } from 'knex';
import { ApiError } from '../http/errors.js';
import type { IdempotencyClaim, IdempotencyKeys, IdempotentRequest } from '../http/frame/idempotency.js';
import type { Logger } from '../runtime/log.js';
import { FirstClaim, LOCK_MS } from './claim.js';
import { type RequestSeal, RequestSeals } from './request-seal.js';
import { deleteForgotten, findKnown, insertClaim } from './store.js';
import { decodeResponse } from './stored-response.js';

// One row for each key:
//
//   (none) --claim--> running --store--> answered --24 h--> (none)
//     ^                |   ^
//     +----release-----+   +-- taken again once its lock has expired: the process that had it died

const KEPT_MS = 24 * 3_600_000;

/** A row that vanishes between two reads was released: the next attempt takes it, or sees the request that did. */
const MAX_LOOKS = 5;

interface StoredResponsesOptions {
  readonly db: Knex;
  /** The installation's, 32 bytes. */
  readonly secretKey: Uint8Array;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Idempotency keys in the database: of equal requests to any replicas within 24 h one is performed. */
export class StoredResponses implements IdempotencyKeys {
  readonly #seals: RequestSeals;

  constructor(private readonly options: StoredResponsesOptions) {
    this.#seals = new RequestSeals(options.secretKey);
  }

  /** @throws ApiError CONFLICT when the key was used for another request, or the first one still runs */
  async claim(request: IdempotentRequest): Promise<IdempotencyClaim> {
    const seal = this.#seals.sealOf(request);
    for (let look = 0; look < MAX_LOOKS; look++) {
      const claim = (await this.#take(seal)) ?? (await this.#known(seal));
      if (claim !== null) return claim;
    }
    throw conflict(STILL_RUNS);
  }

  /** Deletes rows older than 24 hours. */
  async deleteForgotten(): Promise<void> {
    const { db, clock } = this.options;
    await deleteForgotten(db, new Date(clock.now() - KEPT_MS));
  }

  async #take({ keyHash, fingerprint, sealer }: RequestSeal): Promise<FirstClaim | null> {
    const { db, clock } = this.options;
    const nowMs = clock.now();
    const claim = randomBytes(16);
    const isMine = await insertClaim(db, {
      keyHash,
      fingerprint,
      claim,
      now: new Date(nowMs),
      lockedUntil: new Date(nowMs + LOCK_MS),
      forgottenAt: new Date(nowMs - KEPT_MS),
    });
    return isMine ? new FirstClaim({ keyHash, claim }, { ...this.options, sealer }) : null;
  }

  async #known({ keyHash, fingerprint, sealer }: RequestSeal): Promise<IdempotencyClaim | null> {
    const row = await findKnown(this.options.db, keyHash);
    if (row === null) return null;
    if (!isSameHash(row.fingerprint, fingerprint)) throw conflict(OTHER_REQUEST);
    if (row.sealed_response === null) throw conflict(STILL_RUNS);
    return { kind: 'replay', response: decodeResponse(sealer.open(row.sealed_response)) };
  }
}

const OTHER_REQUEST = 'was used for another request within the last 24 hours';
const STILL_RUNS = 'belongs to a request that is still running: repeat it to get the response';

function conflict(message: string): ApiError {
  return new ApiError('CONFLICT', { details: { 'idempotency-key': [{ code: 'conflict', message }] } });
}
