import type { Knex } from 'knex';
import type { Actor } from '../audit-log/actor.js';
import type { Locale } from '../http/locale.js';
import type { Owner } from './owner.js';

/**
 * Releases everything a module holds for an owner that is deleted, in the transaction that deletes the owner and holds
 * its lock. Rows are deleted, or kept if a retention period of their own applies.
 */
export type Release = (trx: Knex, owner: Pick<Owner, 'id'>, actor: Actor) => Promise<void>;

/** Deletion of what a stranger may have left in an account that turns out to belong to someone else. */
export interface Revocation {
  /** Kind of the things, in the mail that names them: `Maintenance windows`. */
  readonly words: Readonly<Record<Locale, string>>;
  /** Deletes it in the caller's transaction, each with an entry in the audit log. @returns what is gone, by name */
  revoke(trx: Knex, ownerId: string, why: RevocationReason): Promise<readonly { readonly name: string }[]>;
}

export interface RevocationReason {
  readonly actor: Actor;
  readonly reason: string;
  readonly nowMs: number;
}

/** Revokes what all modules hold for an owner. @returns what is gone, by kind */
export type Revoke = (
  trx: Knex,
  ownerId: string,
  why: RevocationReason,
) => Promise<readonly { readonly words: Readonly<Record<Locale, string>>; readonly names: readonly string[] }[]>;

/** Revokes by one revocation after another. */
export function revokeBy(revocations: readonly Revocation[]): Revoke {
  return async (trx, ownerId, why) => {
    const revoked = [];
    for (const { words, revoke } of revocations) {
      const gone = await revoke(trx, ownerId, why);
      revoked.push({ words, names: gone.map(({ name }) => name) });
    }
    return revoked;
  };
}
