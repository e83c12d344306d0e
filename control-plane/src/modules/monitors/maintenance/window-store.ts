import type { Knex } from 'knex';
import { type PreparedStatement, queryPrepared } from '../../../db/prepared.js';
import type { ResourceRow } from '../../../http/resource/form.js';
import type { MonitorScopeType } from '../definition/monitor-scope.js';
import type { Recurrence, WindowTimes } from './maintenance.js';
import type { WindowPlan } from './window-plan.js';

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

/** Columns of what is done for a window, and when next. */
export interface WindowProgress {
  readonly turned_at: Date | null;
  readonly next_turn_at: Date | null;
  /** Start of the last occurrence that was announced to the owner. */
  readonly announced_at: Date | null;
  readonly next_notice_at: Date | null;
}

/** Stored window. That of a test key applies only to objects of test keys, and is not announced. */
export type WindowRow = ResourceRow & WindowFields & WindowProgress;

const COLUMNS = `id, owner_id, created_by, is_test, title, scope_type, scope_ids, starts_at, ends_at, recurrence, recurrence_until,
  timezone, advance_notice_minutes, turned_at, next_turn_at, announced_at, next_notice_at, created_at`;

export function timesOf(window: WindowFields): WindowTimes {
  return {
    startsAtMs: window.starts_at.getTime(),
    endsAtMs: window.ends_at.getTime(),
    recurrence: window.recurrence,
    recurrenceUntilMs: window.recurrence_until?.getTime() ?? null,
    timezone: window.timezone,
  };
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

const AS_WINDOW =
  '(SELECT :owner_id::text AS owner_id, :is_test::boolean AS is_test, :scope_type::text AS scope_type, :scope_ids::text[] AS scope_ids) w';

type ScopedWindow = Pick<WindowRow, 'owner_id' | 'is_test' | 'scope_type' | 'scope_ids'>;

/** Marks all monitors in the scope of a window as due for judgment. */
export async function queueMonitorsIn(trx: Knex, window: ScopedWindow): Promise<void> {
  await trx.raw(
    `INSERT INTO monitor_due (monitor_id) SELECT m.id FROM ${AS_WINDOW} JOIN monitors m ON ${IN_SCOPE} WHERE m.status = 'active'`,
    { ...scopeOf(window) },
  );
}

export async function countMonitorsIn(db: Knex, window: ScopedWindow): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    `SELECT count(*)::int AS count FROM ${AS_WINDOW} JOIN monitors m ON ${IN_SCOPE}`,
    { ...scopeOf(window) },
  );
  return rows[0]?.count ?? 0;
}

function scopeOf({ owner_id, is_test, scope_type, scope_ids }: ScopedWindow) {
  return { owner_id, is_test, scope_type, scope_ids: [...scope_ids] };
}

/** Columns of the next due times of a window. */
export function planColumns({ nextTurnAtMs, nextNoticeAtMs }: WindowPlan) {
  return { next_turn_at: dateOf(nextTurnAtMs), next_notice_at: dateOf(nextNoticeAtMs) };
}

function dateOf(instantMs: number | null): Date | null {
  return instantMs === null ? null : new Date(instantMs);
}
