import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { ApiError } from '../../../http/errors.js';
import type { Account } from '../../../http/route.js';
import { lockOwner, ownedColumns } from '../../../owners/index.js';
import { type FixedCap, reserveFixed } from '../../../plans/index.js';
import type { MonitorAct } from '../definition/monitor-act.js';
import { checkScope } from '../definition/monitor-scope.js';
import { planWindow } from './window-plan.js';
import type { WindowChange } from './window-schema.js';
import { hasSameTimes, windowFieldsOf } from './window-settings.js';
import {
  countWindows,
  deleteWindow,
  findWindow,
  insertWindow,
  listWindows,
  lockWindow,
  queueMonitorsIn,
  timesOf,
  updateWindow,
  type WindowFields,
  type WindowRow,
} from './window-store.js';

/** Greatest number of windows of an account: every view of a monitor reads all of them. */
const MAX_WINDOWS = 100;

const windowCap: FixedCap = { field: 'maintenance_windows', most: MAX_WINDOWS, count: countWindows };

interface WindowActsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  /** Called when monitors are due for judgment. */
  readonly onDue: () => void;
}

/** Creates, changes and deletes maintenance windows of accounts. Changes apply immediately, also to past occurrences. */
export class WindowActs {
  constructor(private readonly options: WindowActsOptions) {}

  /** @throws ApiError VALIDATION_FAILED */
  async create(body: WindowChange, { account, actor }: MonitorAct): Promise<WindowRow> {
    const { db, clock, onDue } = this.options;
    const nowMs = clock.now();
    const id = newId(idPrefixes.maintenanceWindow, nowMs);
    const row = await db.transaction(async (trx) => {
      const owner = await lockOwner(trx, account.owner);
      await reserveFixed(trx, owner, windowCap, nowMs);
      const timezone = owner.timezone ?? 'UTC';
      const fields = windowFieldsOf(body, { before: null, timezone, nowMs });
      await checkScope(trx, fields, account.owner);
      const plan = planWindow(plannedOf(fields, null), nowMs);
      const owned = { id, ...ownedColumns(account) };
      const made = await insertWindow(trx, { ...owned, ...fields }, { plan, at: new Date(nowMs) });
      await queueMonitorsIn(trx, id);
      const subject = { actor, accountId: account.owner.id, subject: id };
      await insertAuditEntry(trx, { ...subject, action: 'maintenance_window.created', details: named(made) });
      return made;
    });
    onDue();
    return row;
  }

  /** Changes the given fields only. @throws ApiError VALIDATION_FAILED, NOT_FOUND */
  async change(id: string, body: WindowChange, { account, actor }: MonitorAct): Promise<WindowRow> {
    const { db, clock, onDue } = this.options;
    const nowMs = clock.now();
    const row = await db.transaction(async (trx) => {
      const before = await lockWindow(trx, id, account.owner);
      if (before === null) throw new ApiError('NOT_FOUND');
      const fields = windowFieldsOf(body, { before, timezone: before.timezone, nowMs });
      // members of the previous scope may have been deleted since, which is not an error of this change
      if (body.scope_ids !== undefined || body.scope_type !== undefined) await checkScope(trx, fields, account.owner);
      const announcedAt = hasSameTimes(before, fields) ? before.announced_at : null;
      const plan = planWindow(plannedOf(fields, announcedAt), nowMs);
      await queueMonitorsIn(trx, id);
      const changed = await updateWindow(trx, id, fields, { plan, at: new Date(nowMs), announcedAt });
      await queueMonitorsIn(trx, id);
      const subject = { actor, accountId: account.owner.id, subject: id };
      const details = { fields: Object.keys(body) };
      await insertAuditEntry(trx, { ...subject, action: 'maintenance_window.changed', details });
      return changed;
    });
    onDue();
    return row;
  }

  /** Deletes a window as if it had never existed. @throws ApiError NOT_FOUND */
  async delete(id: string, { account, actor }: MonitorAct): Promise<void> {
    const { db, onDue } = this.options;
    await db.transaction(async (trx) => {
      const window = await lockWindow(trx, id, account.owner);
      if (window === null) throw new ApiError('NOT_FOUND');
      await queueMonitorsIn(trx, id);
      await deleteWindow(trx, id);
      const subject = { actor, accountId: account.owner.id, subject: id };
      await insertAuditEntry(trx, { ...subject, action: 'maintenance_window.deleted', details: named(window) });
    });
    onDue();
  }

  /** @throws ApiError NOT_FOUND */
  async get(id: string, account: Account): Promise<WindowRow> {
    const row = await findWindow(this.options.db, id, account.owner);
    if (row === null) throw new ApiError('NOT_FOUND');
    return row;
  }

  /** Page of windows, newest first, and the number of all. */
  list(account: Account, page: { readonly limit: number; readonly offset: number }): ReturnType<typeof listWindows> {
    return listWindows(this.options.db, account.owner, page);
  }
}

function plannedOf(fields: WindowFields, announcedAt: Date | null) {
  const announcedAtMs = announcedAt?.getTime() ?? null;
  return { ...timesOf(fields), advanceNoticeMinutes: fields.advance_notice_minutes, announcedAtMs };
}

function named({ title, scope_type }: WindowFields) {
  return { title, scope_type };
}
