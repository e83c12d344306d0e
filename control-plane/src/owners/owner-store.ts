import type { Knex } from 'knex';
import { ApiError } from '../http/errors.js';
import type { PlanName } from '../plans/numbers.js';
import type { Owner, OwnerKind } from './owner.js';

/** Current state of an owner for whom something is created. */
export interface LockedOwner {
  readonly id: string;
  readonly kind: OwnerKind;
  /** Role of the user; of a team `user`. */
  readonly role: 'user' | 'admin';
  readonly plan: PlanName;
  /** Time zone of the user; of a team null. */
  readonly timezone: string | null;
  readonly isDisabled: boolean;
}

// Locks the row of the user before that of the owner, in the order in which the trigger of a change of the user's row
// locks them.
const LOCK = `
  WITH person AS MATERIALIZED (
    SELECT role, timezone FROM users WHERE id = :id FOR NO KEY UPDATE
  ), owner AS MATERIALIZED (
    SELECT kind, plan, state FROM owners WHERE id = :id AND state <> 'deleted' AND (SELECT count(*) FROM person) >= 0 FOR NO KEY UPDATE
  )
  SELECT owner.*, person.* FROM owner LEFT JOIN person ON true`;

/**
 * Locks an owner for whom something is created: until the transaction ends, no other transaction creates something for
 * it, changes its credentials, or deletes it. A request admitted before its account was deleted leaves nothing behind.
 * @throws ApiError ACCOUNT_DELETED
 */
export async function lockOwner(trx: Knex, { id }: Pick<Owner, 'id'>): Promise<LockedOwner> {
  const { rows } = await trx.raw<{ rows: OwnerRow[] }>(LOCK, { id });
  const [row] = rows;
  if (row === undefined || row.state === 'deleting') throw new ApiError('ACCOUNT_DELETED');
  const { kind, plan, role, timezone } = row;
  return { id, kind, plan, role: role ?? 'user', timezone, isDisabled: row.state !== 'active' };
}

interface OwnerRow {
  readonly kind: OwnerKind;
  readonly plan: PlanName;
  readonly state: 'active' | 'disabled' | 'deleting';
  readonly role: 'user' | 'admin' | null;
  readonly timezone: string | null;
}

/** Changes the plan of an owner. @returns false if the owner does not exist, or is deleted */
export async function updatePlan(trx: Knex, id: string, plan: PlanName): Promise<boolean> {
  return (await trx('owners').where({ id }).whereNot({ state: 'deleted' }).update({ plan })) === 1;
}
