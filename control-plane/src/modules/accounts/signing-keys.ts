import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import { publicKeyFromRaw, rawPublicKey } from '@vantage/shared/protocol/ed25519.js';
import type { Knex } from 'knex';
import { type Actor, program } from '../../actor.js';
import type { Logger } from '../../log.js';
import type { Sealer } from '../../sealing.js';
import { insertAuditEntry } from '../audit/index.js';
import { ACCESS_TOKEN_SECONDS } from './lifetimes.js';
import {
  deleteRetiredSigningKeys,
  insertSigningKey,
  listSigningKeys,
  retireSigningKeys,
  type SigningKeyRow,
} from './signing-key-store.js';

//   made ──► published ──(two minutes)──► signs ──(another was made, two minutes)──► published ──(17 min)──► deleted
//
// Every replica reads the list once a minute, so all know a key before it signs; and at once when a token names one
// they do not know.

const RELOAD_MS = 60_000;
/** From being made to signing: long enough for every replica to have read it. */
const ANNOUNCED_MS = 2 * RELOAD_MS;
/** What a retired key signed last has expired by then, whoever's clock is asked. */
const PUBLISHED_AFTER_RETIREMENT_MS = ACCESS_TOKEN_SECONDS * 1_000 + ANNOUNCED_MS;
const ROTATE_AFTER_MS = 30 * 24 * 3_600_000;
/** A token may name any key: the list is not read more often because of it. */
const UNKNOWN_RELOAD_MS = 1_000;

interface SigningKey {
  readonly kid: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  readonly createdAt: number;
  readonly retiredAt: number | null;
}

/** A public key as the JSON Web Key Set shows it (RFC 8037). */
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
  /** Called after a key was made or dropped: replicas read them again. */
  readonly changed: () => void;
}

/** The keys access tokens are signed with: one signs, older ones only verify what they signed. */
export class SigningKeys {
  #keys: readonly SigningKey[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> = Promise.resolve();
  #cancel: (() => void) | null = null;
  #isStopped = false;

  constructor(private readonly options: SigningKeysOptions) {}

  /** Reads the keys, makes the first one, and reads them again every minute. @throws SealBrokenError */
  async start(): Promise<void> {
    await this.reload();
    if (this.#unretired().length === 0) await this.rotate();
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  /** The key that signs. */
  signer(): { readonly kid: string; readonly privateKey: KeyObject } {
    const key = this.#unretired()[0];
    if (key === undefined) throw new Error('there is no signing key');
    return key;
  }

  /** The published key of this id, or null. */
  async find(kid: string): Promise<KeyObject | null> {
    const known = this.#published().find((key) => key.kid === kid);
    if (known === undefined) {
      if (this.options.clock.monotonicMs() - this.#readAt >= UNKNOWN_RELOAD_MS) await this.reload();
      else await this.#reading;
    }
    return this.#published().find((key) => key.kid === kid)?.publicKey ?? null;
  }

  /** The JSON Web Key Set (RFC 7517), newest first. */
  jwks(): readonly PublicJwk[] {
    return this.#published().map(({ kid, publicKey }) => {
      const x = rawPublicKey(publicKey).toString('base64url');
      return { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' };
    });
  }

  /** Makes a new key that takes over in two minutes; with `dropOld` at once, and what older ones signed is refused. @throws SealBrokenError */
  async rotate({ dropOld = false, actor = program }: { dropOld?: boolean; actor?: Actor } = {}): Promise<string> {
    // whoever cannot open the keys there are must not add one that nobody else can open
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

  /** Rotates when the key that signs is a month old, and deletes those nothing is verified by any more. */
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

  /** Reads the keys again, or waits for who does and then reads: the last read to begin is the one that stays. */
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

  /** Keys that sign, or will, oldest first. */
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
          .catch((err: unknown) => this.options.log.warn({ err }, 'signing keys not read'))
          .finally(() => this.#schedule());
      },
      { unref: true },
    );
  }
}

declare module '../../http/route.js' {
  interface Services {
    readonly signingKeys: SigningKeys;
  }
}
