import type { Knex } from 'knex';
import type { Actor } from '../audit-log/actor.js';
import type { Owner } from './owner.js';

/**
 * Releases everything a module holds for an owner that is deleted, in the transaction that deletes the owner and holds
 * its lock. Rows are deleted, or kept if a retention period of their own applies.
 */
export type Release = (trx: Knex, owner: Pick<Owner, 'id'>, actor: Actor) => Promise<void>;
