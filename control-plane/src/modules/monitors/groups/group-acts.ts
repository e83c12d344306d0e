import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { ApiError } from '../../../http/errors.js';
import type { Account } from '../../../http/route.js';
import type { MonitorAct } from '../definition/monitor-act.js';
import { insertDue } from '../judging/state-store.js';
import { makeGroup } from './group-making.js';
import { deleteGroup, emptyGroup, findGroup, type GroupRow, listGroups, updateGroup } from './group-store.js';

interface GroupActsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  /** Called when monitors are due for judgment. */
  readonly onDue: () => void;
}

/** Creates, changes and deletes groups of monitors. */
export class GroupActs {
  constructor(private readonly options: GroupActsOptions) {}

  /** @throws ApiError VALIDATION_FAILED */
  async create(
    { name, sort_order = 0 }: { readonly name: string; readonly sort_order?: number },
    act: MonitorAct,
  ): Promise<GroupRow> {
    const { db, clock } = this.options;
    const group = { name: name.trim(), sortOrder: sort_order };
    return db.transaction((trx) => makeGroup(trx, group, act, clock.now()));
  }

  /** Changes the given fields only. @throws ApiError NOT_FOUND */
  async change(
    id: string,
    body: { readonly name?: string; readonly sort_order?: number },
    { account, actor }: MonitorAct,
  ): Promise<GroupRow> {
    return this.options.db.transaction(async (trx) => {
      const group = await updateGroup(trx, id, account.owner, { name: body.name?.trim(), sortOrder: body.sort_order });
      if (group === null) throw new ApiError('NOT_FOUND');
      const subject = { actor, accountId: account.owner.id, subject: id };
      const details = { fields: Object.keys(body) };
      await insertAuditEntry(trx, { ...subject, action: 'monitor_group.changed', details });
      return group;
    });
  }

  /** Deletes a group; its monitors are kept without a group. @throws ApiError NOT_FOUND */
  async delete(id: string, { account, actor }: MonitorAct): Promise<void> {
    const { db, onDue } = this.options;
    await db.transaction(async (trx) => {
      const group = await findGroup(trx, id, account.owner);
      if (group === null) throw new ApiError('NOT_FOUND');
      // lock monitors before their group, like an act that puts a monitor into it
      const monitorIds = await emptyGroup(trx, id);
      if (!(await deleteGroup(trx, id))) throw new ApiError('NOT_FOUND');
      // they may have left a maintenance window of the group
      await insertDue(trx, monitorIds);
      const subject = { actor, accountId: account.owner.id, subject: id };
      const details = { name: group.name, monitors: monitorIds.length };
      await insertAuditEntry(trx, { ...subject, action: 'monitor_group.deleted', details });
    });
    onDue();
  }

  /** @throws ApiError NOT_FOUND */
  async get(id: string, account: Account): Promise<GroupRow> {
    const group = await findGroup(this.options.db, id, account.owner);
    if (group === null) throw new ApiError('NOT_FOUND');
    return group;
  }

  /** Page of groups in their order, and the number of all. */
  list(account: Account, page: { readonly limit: number; readonly offset: number }): ReturnType<typeof listGroups> {
    return listGroups(this.options.db, account.owner, page);
  }
}
