import type { Knex } from 'knex';
import type { Actor } from '../audit-log/actor.js';
import type { Locale } from '../http/locale.js';
import type { Owner } from './owner.js';

/**
 * Releases everything a module holds for an owner that is deleted, in the transaction that deletes the owner and holds
 * its lock. Rows are deleted, or kept if a retention period of their own applies.
 */
export type Release = (trx: Knex, owner: Pick<Owner, 'id'>, actor: Actor) => Promise<void>;

/** Most rows of one kind in an export. */
export const MAX_EXPORTED = 10_000;

/** Reads the configuration that a module has of an owner, by name of the field; as its operations show it, without secrets and measurements. */
export type Export = (owner: Owner) => Promise<Readonly<Record<string, unknown>>>;

/** Pause of all work of a module for an owner whose account is to be erased. */
export interface Suspension {
  /** Stops work for the owner, in the caller's transaction. */
  readonly suspend: Release;
  /** Continues the work that `suspend` stopped, since the account was restored. */
  readonly resume: Release;
}

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
