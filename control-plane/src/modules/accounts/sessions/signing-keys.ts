import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import { publicKeyFromRaw, rawPublicKey } from '@vantage/shared/protocol/ed25519.js';
import type { Knex } from 'knex';
import { type Actor, program } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import type { Sealer } from '../../../crypto/sealing.js';
import type { Logger } from '../../../runtime/log.js';
import { ACCESS_TOKEN_SECONDS } from './lifetimes.js';
import {
  deleteRetiredSigningKeys,
  insertSigningKey,
  listSigningKeys,
  retireSigningKeys,
  type SigningKeyRow,
} from './signing-key-store.js';

//   created ──► published ──(2 min)──► signs ──(another was created, 2 min)──► published ──(17 min)──► deleted
//
// Every replica reads the list once a minute, so all know a key before it signs; and at once when a token names an
// unknown key.

const RELOAD_MS = 60_000;
/** Time from the creation of a key until it signs: long enough for every replica to read it. */
const ANNOUNCED_MS = 2 * RELOAD_MS;
/** Time after its retirement for which a key is published: by then all its tokens have expired, by the clock of any replica. */
const PUBLISHED_AFTER_RETIREMENT_MS = ACCESS_TOKEN_SECONDS * 1_000 + ANNOUNCED_MS;
const ROTATE_AFTER_MS = 30 * 24 * 3_600_000;
/** Least interval between reads for unknown keys, since a token may name any key. */
const UNKNOWN_RELOAD_MS = 1_000;

interface SigningKey {
  readonly kid: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  readonly createdAt: number;
  readonly retiredAt: number | null;
}

/** A public key in the JSON Web Key Set (RFC 8037). */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

interface SigningKeysOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly log: Logger;
  /** Called after a key was created or deleted, so that replicas read the keys again. */
  readonly changed: () => void;
}

/** Keys of access tokens: one signs, older ones only verify the tokens that they signed. */
export class SigningKeys {
  #keys: readonly SigningKey[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> = Promise.resolve();
  #cancel: (() => void) | null = null;
  #isStopped = false;

  constructor(private readonly options: SigningKeysOptions) {}

  /** Reads the keys, creates the first one, and reads them again every minute. @throws SealBrokenError */
  async start(): Promise<void> {
    await this.reload();
    if (this.#unretired().length === 0) await this.rotate();
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  /** Returns the key that signs. */
  signer(): { readonly kid: string; readonly privateKey: KeyObject } {
    const key = this.#unretired()[0];
    if (key === undefined) throw new Error('no signing key exists');
    return key;
  }

  /** Finds the published key with this id; null if there is no such key. */
  async find(kid: string): Promise<KeyObject | null> {
    const known = this.#published().find((key) => key.kid === kid);
    if (known === undefined) {
      if (this.options.clock.monotonicMs() - this.#readAt >= UNKNOWN_RELOAD_MS) await this.reload();
      else await this.#reading;
    }
    return this.#published().find((key) => key.kid === kid)?.publicKey ?? null;
  }

  /** Returns the keys of the JSON Web Key Set (RFC 7517), newest first. */
  jwks(): readonly PublicJwk[] {
    return this.#published().map(({ kid, publicKey }) => {
      const x = rawPublicKey(publicKey).toString('base64url');
      return { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' };
    });
  }

  /**
   * Creates a key that signs in two minutes. With `dropOld`, it signs at once, and tokens of older keys are refused. Returns its
   * id. @throws SealBrokenError
   */
  async rotate({ dropOld = false, actor = program }: { dropOld?: boolean; actor?: Actor } = {}): Promise<string> {
    // a replica that cannot open the present keys must not add one that no other replica can open
    await this.reload();
    const now = this.options.clock.now();
    const row = this.#makeKey(now);
    await this.options.db.transaction(async (trx) => {
      await retireSigningKeys(trx, new Date(dropOld ? now : now + ANNOUNCED_MS));
      if (dropOld) await deleteRetiredSigningKeys(trx, new Date(now));
      await insertSigningKey(trx, row);
      await insertAuditEntry(trx, {
        actor,
        accountId: null,
        action: 'signing_key.rotated',
        subject: row.kid,
        details: { drop_old: dropOld },
      });
    });
    await this.reload();
    this.options.changed();
    return row.kid;
  }

  /** Rotates a key that is a month old, and deletes retired keys whose tokens have all expired. */
  async upkeep(): Promise<void> {
    const now = this.options.clock.now();
    await this.reload();
    const newest = this.#keys[0];
    if (newest === undefined || now - newest.createdAt >= ROTATE_AFTER_MS) await this.rotate();
    await deleteRetiredSigningKeys(this.options.db, new Date(now - PUBLISHED_AFTER_RETIREMENT_MS));
  }

  #makeKey(now: number): SigningKeyRow {
    const { privateKey } = generateKeyPairSync('ed25519');
    const publicKey = rawPublicKey(privateKey);
    const kid = createHash('sha256').update(publicKey).digest('base64url').slice(0, 22);
    const sealed = this.options.sealer.seal(privateKey.export({ format: 'der', type: 'pkcs8' }));
    return { kid, public_key: publicKey, sealed_private_key: sealed, created_at: new Date(now), retired_at: null };
  }

  /** Reads the keys again, after a running read, so that the result of the read that began last is kept. */
  reload(): Promise<void> {
    const next = this.#reading.then(() => this.#read());
    this.#reading = next.catch(() => {});
    return next;
  }

  async #read(): Promise<void> {
    this.#readAt = this.options.clock.monotonicMs();
    const rows = await listSigningKeys(this.options.db);
    const known = new Map(this.#keys.map((key) => [key.kid, key]));
    this.#keys = rows.map((row) => ({
      ...(known.get(row.kid) ?? this.#open(row)),
      retiredAt: row.retired_at?.getTime() ?? null,
    }));
  }

  #open(row: SigningKeyRow): Omit<SigningKey, 'retiredAt'> {
    const der = this.options.sealer.open(row.sealed_private_key);
    return {
      kid: row.kid,
      publicKey: publicKeyFromRaw(row.public_key),
      privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
      createdAt: row.created_at.getTime(),
    };
  }

  /** Keys that sign or will sign, oldest first. */
  #unretired(): readonly SigningKey[] {
    const now = this.options.clock.now();
    return this.#keys.filter(({ retiredAt }) => retiredAt === null || now < retiredAt).toReversed();
  }

  #published(): readonly SigningKey[] {
    const now = this.options.clock.now();
    return this.#keys.filter(({ retiredAt }) => retiredAt === null || now - retiredAt < PUBLISHED_AFTER_RETIREMENT_MS);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#cancel = this.options.clock.after(
      RELOAD_MS,
      () => {
        this.reload()
          .catch((err: unknown) => this.options.log.warn({ err }, 'cannot read signing keys'))
          .finally(() => this.#schedule());
      },
      { unref: true },
    );
  }
}
