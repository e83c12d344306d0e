import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { ApiError } from '../../http/errors.js';
import type { Account } from '../../http/route.js';
import { insertAuditEntry } from '../audit/index.js';
import {
  countGroups,
  deleteGroup,
  emptyGroup,
  findGroup,
  type GroupRow,
  insertGroup,
  listGroups,
  updateGroup,
} from './group-store.js';
import type { MonitorAct } from './monitor-acts.js';
import { insertDue } from './state-store.js';

const MAX_GROUPS = 1_000;

interface GroupActsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  /** Monitors are to be judged. */
  readonly onDue: () => void;
}

/** Groups of monitors of accounts. */
export class GroupActs {
  constructor(private readonly options: GroupActsOptions) {}

  /** @throws ApiError VALIDATION_FAILED */
  async create(
    { name, sort_order = 0 }: { readonly name: string; readonly sort_order?: number },
    { account, actor }: MonitorAct,
  ): Promise<GroupRow> {
    const { db, clock } = this.options;
    const nowMs = clock.now();
    const group: GroupRow = {
      id: newId(idPrefixes.monitorGroup, nowMs),
      user_id: account.userId,
      is_test: account.isTest,
      name: name.trim(),
      sort_order,
      created_at: new Date(nowMs),
    };
    await db.transaction(async (trx) => {
      if ((await countGroups(trx, account.userId)) >= MAX_GROUPS) throw tooMany();
      await insertGroup(trx, group);
      const subject = { actor, accountId: account.userId, subject: group.id };
      await insertAuditEntry(trx, { ...subject, action: 'monitor_group.created', details: { name: group.name } });
    });
    return group;
  }

  /** Changes what is named and leaves the rest. @throws ApiError NOT_FOUND */
  async change(
    id: string,
    body: { readonly name?: string; readonly sort_order?: number },
    { account, actor }: MonitorAct,
  ): Promise<GroupRow> {
    return this.options.db.transaction(async (trx) => {
      const group = await updateGroup(trx, id, account, { name: body.name?.trim(), sortOrder: body.sort_order });
      if (group === null) throw new ApiError('NOT_FOUND');
      const subject = { actor, accountId: account.userId, subject: id };
      const details = { fields: Object.keys(body) };
      await insertAuditEntry(trx, { ...subject, action: 'monitor_group.changed', details });
      return group;
    });
  }

  /** Its monitors stay, in no group. @throws ApiError NOT_FOUND */
  async delete(id: string, { account, actor }: MonitorAct): Promise<void> {
    const { db, onDue } = this.options;
    await db.transaction(async (trx) => {
      const group = await findGroup(trx, id, account);
      if (group === null) throw new ApiError('NOT_FOUND');
      // monitors before their group, as those do who put one into it
      const monitorIds = await emptyGroup(trx, id);
      if (!(await deleteGroup(trx, id))) throw new ApiError('NOT_FOUND');
      // they may have left a maintenance window with it
      await insertDue(trx, monitorIds);
      const subject = { actor, accountId: account.userId, subject: id };
      const details = { name: group.name, monitors: monitorIds.length };
      await insertAuditEntry(trx, { ...subject, action: 'monitor_group.deleted', details });
    });
    onDue();
  }

  /** One page in their order, and how many there are. */
  list(account: Account, page: { readonly limit: number; readonly offset: number }): ReturnType<typeof listGroups> {
    return listGroups(this.options.db, account, page);
  }
}

function tooMany(): ApiError {
  const message = `there are ${MAX_GROUPS}, as many as an account may have`;
  return new ApiError('VALIDATION_FAILED', {
    status: 422,
    details: { monitor_groups: [{ code: 'refused', message }] },
  });
}
