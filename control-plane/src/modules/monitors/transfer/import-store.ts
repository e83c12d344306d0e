import type { Knex } from 'knex';
import type { MonitorRow, Owner } from '../store.js';

/** A name that is taken, and by what. */
export interface TakenName {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly is_test: boolean;
}

/** Every name that monitors of an account have. */
export async function listTakenNames(db: Knex, userId: string): Promise<TakenName[]> {
  return db('monitors').where({ user_id: userId }).select('id', 'name', 'type', 'is_test');
}

/** Monitors of an owner as they are stored. */
export async function listMonitorRows(db: Knex, owner: Owner, ids: readonly string[]): Promise<MonitorRow[]> {
  const own = owner.isTest ? { user_id: owner.userId, is_test: true } : { user_id: owner.userId };
  return db('monitors').where(own).whereIn('id', ids).select<MonitorRow[]>('*');
}

/** Names of the groups that an owner's monitors may be in. */
export async function listGroupNames(db: Knex, { userId, isTest }: Owner): Promise<string[]> {
  return db('monitor_groups').where({ user_id: userId, is_test: isTest }).pluck('name');
}
