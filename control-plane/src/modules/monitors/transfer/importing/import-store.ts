import type { Knex } from 'knex';
import { type Owner, ownedBy } from '../../../../owners/index.js';
import type { MonitorRow } from '../../definition/store.js';

/** Taken name and its holder. */
export interface TakenName {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly is_test: boolean;
}

/** All names of monitors of an owner. */
export async function listTakenNames(db: Knex, ownerId: string): Promise<TakenName[]> {
  return db('monitors').where({ owner_id: ownerId }).select('id', 'name', 'type', 'is_test');
}

/** Stored monitors of an owner. */
export async function listMonitorRows(db: Knex, owner: Owner, ids: readonly string[]): Promise<MonitorRow[]> {
  const own = db('monitors').whereRaw(ownedBy(owner), { ownerId: owner.id });
  return own.whereIn('id', ids).select<MonitorRow[]>('*');
}

export async function listGroupNames(db: Knex, { id, isTest }: Owner): Promise<string[]> {
  return db('monitor_groups').where({ owner_id: id, is_test: isTest }).pluck('name');
}
