import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { lockOwner, ownedColumns } from '../../../owners/index.js';
import { type FixedCap, reserveFixed } from '../../../plans/index.js';
import type { MonitorAct } from '../definition/monitor-act.js';
import { countGroups, findGroupByName, type GroupRow, insertGroup } from './group-store.js';

/** Groups of an account. */
export const MAX_GROUPS = 1_000;

const groupCap: FixedCap = { field: 'monitor_groups', most: MAX_GROUPS, count: countGroups };

interface NewGroup {
  readonly name: string;
  readonly sortOrder: number;
}

/** Creates a group. @throws ApiError VALIDATION_FAILED if there are too many, ACCOUNT_DELETED */
export async function makeGroup(
  trx: Knex,
  { name, sortOrder }: NewGroup,
  { account, actor }: MonitorAct,
  nowMs: number,
): Promise<GroupRow> {
  await reserveFixed(trx, await lockOwner(trx, account.owner), groupCap, nowMs);
  const group: GroupRow = {
    id: newId(idPrefixes.monitorGroup, nowMs),
    ...ownedColumns(account),
    name,
    sort_order: sortOrder,
    created_at: new Date(nowMs),
  };
  await insertGroup(trx, group);
  const subject = { actor, accountId: account.owner.id, subject: group.id };
  await insertAuditEntry(trx, { ...subject, action: 'monitor_group.created', details: { name } });
  return group;
}

/** Id of the group with a name, which is created if it does not exist. @throws ApiError as makeGroup */
export async function groupNamed(trx: Knex, name: string, act: MonitorAct, nowMs: number): Promise<string> {
  // of two concurrent creations the second waits here for the first, and finds its group
  await lockOwner(trx, act.account.owner);
  const found = await findGroupByName(trx, name, act.account.owner);
  return found ?? (await makeGroup(trx, { name, sortOrder: 0 }, act, nowMs)).id;
}
