import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { ApiError } from '../../http/errors.js';
import { insertAuditEntry } from '../audit/index.js';
import { countGroups, findGroupByName, type GroupRow, insertGroup } from './group-store.js';
import type { MonitorAct } from './monitor-acts.js';

/** Groups of an account. */
export const MAX_GROUPS = 1_000;

interface NewGroup {
  readonly name: string;
  readonly sortOrder: number;
}

/** Makes a group. @throws ApiError VALIDATION_FAILED when there are too many */
export async function makeGroup(
  trx: Knex,
  { name, sortOrder }: NewGroup,
  { account, actor }: MonitorAct,
  nowMs: number,
): Promise<GroupRow> {
  if ((await countGroups(trx, account.userId)) >= MAX_GROUPS) throw tooMany();
  const group: GroupRow = {
    id: newId(idPrefixes.monitorGroup, nowMs),
    user_id: account.userId,
    is_test: account.isTest,
    name,
    sort_order: sortOrder,
    created_at: new Date(nowMs),
  };
  await insertGroup(trx, group);
  const subject = { actor, accountId: account.userId, subject: group.id };
  await insertAuditEntry(trx, { ...subject, action: 'monitor_group.created', details: { name } });
  return group;
}

/** The id of the group with this name, which is made where there is none. @throws ApiError as makeGroup */
export async function groupNamed(trx: Knex, name: string, act: MonitorAct, nowMs: number): Promise<string> {
  // of two that make it at once the second waits for the first here, and finds it
  await countGroups(trx, act.account.userId);
  const found = await findGroupByName(trx, name, act.account);
  return found ?? (await makeGroup(trx, { name, sortOrder: 0 }, act, nowMs)).id;
}

function tooMany(): ApiError {
  const message = `there are ${MAX_GROUPS}, as many as an account may have`;
  return new ApiError('VALIDATION_FAILED', {
    status: 422,
    details: { monitor_groups: [{ code: 'refused', message }] },
  });
}
