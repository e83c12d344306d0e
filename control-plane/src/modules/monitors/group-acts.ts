import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { ApiError } from '../../http/errors.js';
import type { Account } from '../../http/route.js';
import { insertAuditEntry } from '../audit/index.js';
import { makeGroup } from './group-making.js';
import { deleteGroup, emptyGroup, findGroup, type GroupRow, listGroups, updateGroup } from './group-store.js';
import type { MonitorAct } from './monitor-acts.js';
import { insertDue } from './state-store.js';

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
    act: MonitorAct,
  ): Promise<GroupRow> {
    const { db, clock } = this.options;
    const group = { name: name.trim(), sortOrder: sort_order };
    return db.transaction((trx) => makeGroup(trx, group, act, clock.now()));
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
