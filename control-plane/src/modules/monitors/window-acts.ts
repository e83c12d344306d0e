import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { FieldErrors } from '@vantage/shared/validation.js';
import type { Knex } from 'knex';
import { ApiError } from '../../http/errors.js';
import type { Account } from '../../http/route.js';
import { insertAuditEntry } from '../audit/index.js';
import type { MonitorAct } from './monitor-acts.js';
import { planWindow } from './window-plan.js';
import type { WindowChange } from './window-schema.js';
import { hasSameTimes, windowFieldsOf } from './window-settings.js';
import {
  countWindows,
  deleteWindow,
  findWindow,
  insertWindow,
  listOwned,
  listWindows,
  lockTimezone,
  lockWindow,
  queueMonitorsIn,
  timesOf,
  updateWindow,
  type WindowFields,
  type WindowRow,
} from './window-store.js';

/** All are looked at for every view of a monitor. */
const MAX_WINDOWS = 100;

interface WindowActsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  /** Monitors are to be judged. */
  readonly onDue: () => void;
}

/** Maintenance windows of accounts. Whatever is changed of one holds at once, for what is past, too. */
export class WindowActs {
  constructor(private readonly options: WindowActsOptions) {}

  /** @throws ApiError VALIDATION_FAILED */
  async create(body: WindowChange, { account, actor }: MonitorAct): Promise<WindowRow> {
    const { db, clock, onDue } = this.options;
    const nowMs = clock.now();
    const id = newId(idPrefixes.maintenanceWindow, nowMs);
    const row = await db.transaction(async (trx) => {
      const timezone = (await lockTimezone(trx, account.userId)) ?? 'UTC';
      await checkRoom(trx, account);
      const fields = windowFieldsOf(body, { before: null, timezone, nowMs });
      await checkScope(trx, fields, account);
      const plan = planWindow(plannedOf(fields, null), nowMs);
      const owned = { id, user_id: account.userId, is_test: account.isTest };
      const made = await insertWindow(trx, { ...owned, ...fields }, { plan, at: new Date(nowMs) });
      await queueMonitorsIn(trx, id);
      const subject = { actor, accountId: account.userId, subject: id };
      await insertAuditEntry(trx, { ...subject, action: 'maintenance_window.created', details: named(made) });
      return made;
    });
    onDue();
    return row;
  }

  /** Changes what is named and leaves the rest. @throws ApiError VALIDATION_FAILED, NOT_FOUND */
  async change(id: string, body: WindowChange, { account, actor }: MonitorAct): Promise<WindowRow> {
    const { db, clock, onDue } = this.options;
    const nowMs = clock.now();
    const row = await db.transaction(async (trx) => {
      const before = await lockWindow(trx, id, account);
      if (before === null) throw new ApiError('NOT_FOUND');
      const fields = windowFieldsOf(body, { before, timezone: before.timezone, nowMs });
      // what it was about may be gone by now, and is no mistake of this change
      if (body.scope_ids !== undefined || body.scope_type !== undefined) await checkScope(trx, fields, account);
      const announcedAt = hasSameTimes(before, fields) ? before.announced_at : null;
      const plan = planWindow(plannedOf(fields, announcedAt), nowMs);
      await queueMonitorsIn(trx, id);
      const changed = await updateWindow(trx, id, fields, { plan, at: new Date(nowMs), announcedAt });
      await queueMonitorsIn(trx, id);
      const subject = { actor, accountId: account.userId, subject: id };
      const details = { fields: Object.keys(body) };
      await insertAuditEntry(trx, { ...subject, action: 'maintenance_window.changed', details });
      return changed;
    });
    onDue();
    return row;
  }

  /** It never was. @throws ApiError NOT_FOUND */
  async delete(id: string, { account, actor }: MonitorAct): Promise<void> {
    const { db, onDue } = this.options;
    await db.transaction(async (trx) => {
      const window = await lockWindow(trx, id, account);
      if (window === null) throw new ApiError('NOT_FOUND');
      await queueMonitorsIn(trx, id);
      await deleteWindow(trx, id);
      const subject = { actor, accountId: account.userId, subject: id };
      await insertAuditEntry(trx, { ...subject, action: 'maintenance_window.deleted', details: named(window) });
    });
    onDue();
  }

  /** @throws ApiError NOT_FOUND */
  async get(id: string, account: Account): Promise<WindowRow> {
    const row = await findWindow(this.options.db, id, account);
    if (row === null) throw new ApiError('NOT_FOUND');
    return row;
  }

  /** One page, newest first, and how many there are. */
  list(account: Account, page: { readonly limit: number; readonly offset: number }): ReturnType<typeof listWindows> {
    return listWindows(this.options.db, account, page);
  }
}

async function checkRoom(trx: Knex, account: Account): Promise<void> {
  if ((await countWindows(trx, account.userId)) < MAX_WINDOWS) return;
  const message = `there are ${MAX_WINDOWS}, as many as an account may have`;
  throw new ApiError('VALIDATION_FAILED', {
    status: 422,
    details: { maintenance_windows: [{ code: 'refused', message }] },
  });
}

/** Monitors and groups have to be the caller's; tags need not be anybody's yet. */
async function checkScope(trx: Knex, { scope_type, scope_ids }: WindowFields, account: Account): Promise<void> {
  if (scope_type !== 'monitor' && scope_type !== 'group') return;
  const table = scope_type === 'monitor' ? 'monitors' : 'monitor_groups';
  const owned = new Set(await listOwned(trx, table, scope_ids, account));
  const details: FieldErrors = {};
  for (const [index, id] of scope_ids.entries()) {
    if (owned.has(id)) continue;
    details[`scope_ids.${index}`] = [{ code: 'not_found', message: `is none of your ${scope_type}s` }];
  }
  if (Object.keys(details).length > 0) throw new ApiError('VALIDATION_FAILED', { details });
}

function plannedOf(fields: WindowFields, announcedAt: Date | null) {
  const announcedAtMs = announcedAt?.getTime() ?? null;
  return { ...timesOf(fields), advanceNoticeMinutes: fields.advance_notice_minutes, announcedAtMs };
}

function named({ title, scope_type }: WindowFields) {
  return { title, scope_type };
}
