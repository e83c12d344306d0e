import type { Knex } from 'knex';
import { type CountedPage, type PageRange, queryPage } from '../../../db/named.js';
import { type PreparedStatement, queryPrepared } from '../../../db/prepared.js';
import { type Owner, ownedBy } from '../../../owners/index.js';
import type { MonitorScopeType } from '../definition/monitor-scope.js';
import type { Recurrence, WindowTimes } from './maintenance.js';
import type { WindowPlan } from './window-plan.js';

/** Type of the scope of a window. API specification 2.4. */
/** Columns of a window that its owner decides. */
export interface WindowFields {
  readonly title: string | null;
  readonly scope_type: MonitorScopeType;
  /** Ids of monitors or groups, or tags; empty for `all`. */
  readonly scope_ids: readonly string[];
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly recurrence: Recurrence;
  readonly recurrence_until: Date | null;
  readonly timezone: string;
  readonly advance_notice_minutes: number;
}

/** Stored window. */
export interface WindowRow extends WindowFields {
  readonly id: string;
  readonly owner_id: string;
  readonly created_by: string;
  /** True if a test key created the window: it applies only to objects of test keys, and is not announced. */
  readonly is_test: boolean;
  readonly turned_at: Date | null;
  readonly next_turn_at: Date | null;
  readonly announced_at: Date | null;
  readonly next_notice_at: Date | null;
  readonly created_at: Date;
}

const COLUMNS = `id, owner_id, created_by, is_test, title, scope_type, scope_ids, starts_at, ends_at, recurrence, recurrence_until,
  timezone, advance_notice_minutes, turned_at, next_turn_at, announced_at, next_notice_at, created_at`;

/** Times of a window. */
export function timesOf(window: WindowFields): WindowTimes {
  return {
    startsAtMs: window.starts_at.getTime(),
    endsAtMs: window.ends_at.getTime(),
    recurrence: window.recurrence,
    recurrenceUntilMs: window.recurrence_until?.getTime() ?? null,
    timezone: window.timezone,
  };
}

/** Number of windows of an owner. */
export async function countWindows(db: Knex, ownerId: string): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    'SELECT count(*)::int AS count FROM maintenance_windows WHERE owner_id = ?',
    [ownerId],
  );
  return rows[0]?.count ?? 0;
}

/** Stores a new window. */
export async function insertWindow(
  trx: Knex,
  window: WindowFields & Pick<WindowRow, 'id' | 'owner_id' | 'created_by' | 'is_test'>,
  { plan, at }: { readonly plan: WindowPlan; readonly at: Date },
): Promise<WindowRow> {
  const { id, owner_id, created_by, is_test } = window;
  const own = { id, owner_id, created_by, is_test };
  const values = { ...own, ...toColumns(window), ...planColumns(plan), created_at: at, updated_at: at };
  const [row] = await trx('maintenance_windows').insert(values).returning('*');
  return row;
}

/** Updates a window. `announcedAt`: start of the last occurrence that was announced to its owner. */
export async function updateWindow(
  trx: Knex,
  id: string,
  window: WindowFields,
  { plan, at, announcedAt }: { readonly plan: WindowPlan; readonly at: Date; readonly announcedAt: Date | null },
): Promise<WindowRow> {
  const planned = { ...planColumns(plan), turned_at: null, announced_at: announcedAt };
  const [row] = await trx('maintenance_windows')
    .where({ id })
    .update({ ...toColumns(window), ...planned, updated_at: at })
    .returning('*');
  return row;
}

/** Deletes a window. */
export async function deleteWindow(trx: Knex, id: string): Promise<void> {
  await trx('maintenance_windows').where({ id }).delete();
}

/** All windows of an owner, oldest first, locked until the transaction ends. */
export async function listWindowsOf(trx: Knex, ownerId: string): Promise<{ id: string; title: string | null }[]> {
  return trx('maintenance_windows').where({ owner_id: ownerId }).orderBy('id').forUpdate().select('id', 'title');
}

/** Window of an owner; null: no such window. */
export async function findWindow(db: Knex, id: string, owner: Owner): Promise<WindowRow | null> {
  const statement = {
    name: owner.isTest ? 'maintenance-window-find-test' : 'maintenance-window-find',
    text: `SELECT ${COLUMNS} FROM maintenance_windows WHERE id = $1 AND ${ownedBy(owner, undefined, '$2')}`,
  };
  const [row] = await queryPrepared<WindowRow>(db, statement, [id, owner.id]);
  return row ?? null;
}

/** Same as `findWindow`, locked until the transaction ends. */
export async function lockWindow(trx: Knex, id: string, owner: Owner): Promise<WindowRow | null> {
  const { rows } = await trx.raw<{ rows: WindowRow[] }>(
    `SELECT * FROM maintenance_windows WHERE id = :id AND ${ownedBy(owner)} FOR UPDATE`,
    { id, ownerId: owner.id },
  );
  return rows[0] ?? null;
}

/** Page of an owner's windows, newest first, and the number of all. */
export function listWindows(db: Knex, owner: Owner, page: PageRange): Promise<CountedPage<WindowRow>> {
  const [from, where] = ['maintenance_windows', ownedBy(owner)];
  const query = { name: 'maintenance-windows', columns: COLUMNS, from, where, orderBy: 'id DESC' };
  return queryPage<WindowRow>(db, query, { ownerId: owner.id, ...page });
}

const READ_WINDOWS: PreparedStatement = {
  name: 'maintenance-windows-of',
  text: `SELECT ${COLUMNS} FROM maintenance_windows
     WHERE owner_id = ANY($1::text[]) AND (starts_at < $2::timestamptz OR turned_at IS NOT NULL)`,
};

/** All windows of the given owners that began before an instant. */
export async function readWindows(db: Knex, ownerIds: readonly string[], before: Date): Promise<WindowRow[]> {
  return queryPrepared<WindowRow>(db, READ_WINDOWS, [[...ownerIds], before]);
}

/** Claims windows with due work; no one else can claim them until the transaction ends. */
export async function claimWindows(trx: Knex, at: Date, limit: number): Promise<WindowRow[]> {
  const { rows } = await trx.raw<{ rows: WindowRow[] }>(
    'SELECT * FROM maintenance_windows WHERE due_at <= ? ORDER BY due_at, id LIMIT ? FOR UPDATE SKIP LOCKED',
    [at, limit],
  );
  return rows;
}

/** Writes the work done for a window, and its next due times. */
export async function updatePlan(
  trx: Knex,
  id: string,
  {
    plan,
    turnedAt,
    announcedAt,
  }: { readonly plan: WindowPlan; readonly turnedAt: Date | null; readonly announcedAt: Date | null },
): Promise<void> {
  await trx('maintenance_windows')
    .where({ id })
    .update({ ...planColumns(plan), turned_at: turnedAt, announced_at: announcedAt });
}

// NOTE: same as `covers` in maintenance-reads.ts
const IN_SCOPE = `m.owner_id = w.owner_id AND (m.is_test OR NOT w.is_test) AND CASE w.scope_type
  WHEN 'monitor' THEN m.id = ANY(w.scope_ids)
  WHEN 'group' THEN m.group_id = ANY(w.scope_ids)
  WHEN 'tag' THEN m.tags && w.scope_ids COLLATE "C"
  ELSE true END`;

/** Marks all monitors in the scope of a window as due for judgment. */
export async function queueMonitorsIn(trx: Knex, windowId: string): Promise<void> {
  await trx.raw(
    `INSERT INTO monitor_due (monitor_id)
     SELECT m.id FROM maintenance_windows w JOIN monitors m ON ${IN_SCOPE} WHERE w.id = ? AND m.status = 'active'`,
    [windowId],
  );
}

/** Number of monitors in the scope of a window. */
export async function countMonitorsIn(db: Knex, windowId: string): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    `SELECT count(*)::int AS count FROM maintenance_windows w JOIN monitors m ON ${IN_SCOPE} WHERE w.id = ?`,
    [windowId],
  );
  return rows[0]?.count ?? 0;
}

function toColumns(window: WindowFields) {
  return {
    title: window.title,
    scope_type: window.scope_type,
    scope_ids: window.scope_ids,
    starts_at: window.starts_at,
    ends_at: window.ends_at,
    recurrence: window.recurrence,
    recurrence_until: window.recurrence_until,
    timezone: window.timezone,
    advance_notice_minutes: window.advance_notice_minutes,
  };
}

function planColumns({ nextTurnAtMs, nextNoticeAtMs }: WindowPlan) {
  return { next_turn_at: dateOf(nextTurnAtMs), next_notice_at: dateOf(nextNoticeAtMs) };
}

function dateOf(instantMs: number | null): Date | null {
  return instantMs === null ? null : new Date(instantMs);
}
