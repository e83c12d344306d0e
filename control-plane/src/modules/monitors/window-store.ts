import type { Knex } from 'knex';
import type { Recurrence, WindowTimes } from './maintenance.js';
import type { Owner } from './store.js';
import type { WindowPlan } from './window-plan.js';

/** What a window is about. API specification 2.4. */
export type ScopeType = 'monitor' | 'group' | 'tag' | 'all';

/** What of a window its owner decides. */
export interface WindowFields {
  readonly title: string | null;
  readonly scope_type: ScopeType;
  /** Ids of monitors or groups, or tags; empty for `all`. */
  readonly scope_ids: readonly string[];
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly recurrence: Recurrence;
  readonly recurrence_until: Date | null;
  readonly timezone: string;
  readonly advance_notice_minutes: number;
}

/** A window as it is stored. */
export interface WindowRow extends WindowFields {
  readonly id: string;
  readonly user_id: string;
  /** Made by a test key: it is about what test keys made, and nobody is told of it. */
  readonly is_test: boolean;
  readonly turned_at: Date | null;
  readonly next_turn_at: Date | null;
  readonly announced_at: Date | null;
  readonly next_notice_at: Date | null;
  readonly created_at: Date;
}

/** When a window is. */
export function timesOf(window: WindowFields): WindowTimes {
  return {
    startsAtMs: window.starts_at.getTime(),
    endsAtMs: window.ends_at.getTime(),
    recurrence: window.recurrence,
    recurrenceUntilMs: window.recurrence_until?.getTime() ?? null,
    timezone: window.timezone,
  };
}

const ownedBy = ({ isTest }: Owner) => (isTest ? 'user_id = :userId AND is_test' : 'user_id = :userId');

/** The zone of an account; holds off others who make something of it. Null: there is no such account. */
export async function lockTimezone(trx: Knex, userId: string): Promise<string | null> {
  const { rows } = await trx.raw<{ rows: { timezone: string }[] }>(
    'SELECT timezone FROM users WHERE id = ? FOR NO KEY UPDATE',
    [userId],
  );
  return rows[0]?.timezone ?? null;
}

/** How many windows an account has. */
export async function countWindows(db: Knex, userId: string): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    'SELECT count(*)::int AS count FROM maintenance_windows WHERE user_id = ?',
    [userId],
  );
  return rows[0]?.count ?? 0;
}

/** Stores a new window. */
export async function insertWindow(
  trx: Knex,
  window: WindowFields & Pick<WindowRow, 'id' | 'user_id' | 'is_test'>,
  { plan, at }: { readonly plan: WindowPlan; readonly at: Date },
): Promise<WindowRow> {
  const { id, user_id, is_test } = window;
  const values = { id, user_id, is_test, ...toColumns(window), ...planColumns(plan), created_at: at, updated_at: at };
  const [row] = await trx('maintenance_windows').insert(values).returning('*');
  return row;
}

/** Writes a window anew. `announcedAt`: when the last occurrence begins that its owner was told of. */
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

/** A window of an owner, or null. */
export async function findWindow(db: Knex, id: string, owner: Owner): Promise<WindowRow | null> {
  const { rows } = await db.raw<{ rows: WindowRow[] }>(
    `SELECT * FROM maintenance_windows WHERE id = :id AND ${ownedBy(owner)}`,
    { id, userId: owner.userId },
  );
  return rows[0] ?? null;
}

/** As `findWindow`, nobody else's until the transaction ends. */
export async function lockWindow(trx: Knex, id: string, owner: Owner): Promise<WindowRow | null> {
  const { rows } = await trx.raw<{ rows: WindowRow[] }>(
    `SELECT * FROM maintenance_windows WHERE id = :id AND ${ownedBy(owner)} FOR UPDATE`,
    { id, userId: owner.userId },
  );
  return rows[0] ?? null;
}

/** A page of an owner's windows, newest first, and how many there are. */
export async function listWindows(
  db: Knex,
  owner: Owner,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ rows: WindowRow[]; total: number }> {
  const { rows } = await db.raw<{ rows: WindowRow[] }>(
    `SELECT * FROM maintenance_windows WHERE ${ownedBy(owner)} ORDER BY id DESC LIMIT :limit OFFSET :offset`,
    { userId: owner.userId, limit, offset },
  );
  const { rows: counts } = await db.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM maintenance_windows WHERE ${ownedBy(owner)}`,
    { userId: owner.userId },
  );
  return { rows, total: counts[0]?.total ?? 0 };
}

/** All windows of some accounts that began before an instant. */
export async function readWindows(db: Knex, userIds: readonly string[], before: Date): Promise<WindowRow[]> {
  const { rows } = await db.raw<{ rows: WindowRow[] }>(
    'SELECT * FROM maintenance_windows WHERE user_id = ANY(?) AND (starts_at < ? OR turned_at IS NOT NULL)',
    [[...userIds], before],
  );
  return rows;
}

/** Takes windows for which something is to be done; they are nobody else's until the transaction ends. */
export async function claimWindows(trx: Knex, at: Date, limit: number): Promise<WindowRow[]> {
  const { rows } = await trx.raw<{ rows: WindowRow[] }>(
    'SELECT * FROM maintenance_windows WHERE due_at <= ? ORDER BY due_at, id LIMIT ? FOR UPDATE SKIP LOCKED',
    [at, limit],
  );
  return rows;
}

/** Writes what was done for a window, and what is next. */
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

// NOTE: as `covers` in maintenance-reads.ts
const IN_SCOPE = `m.user_id = w.user_id AND (m.is_test OR NOT w.is_test) AND CASE w.scope_type
  WHEN 'monitor' THEN m.id = ANY(w.scope_ids)
  WHEN 'group' THEN m.group_id = ANY(w.scope_ids)
  WHEN 'tag' THEN m.tags && w.scope_ids COLLATE "C"
  ELSE true END`;

/** Asks for a look at all monitors that a window is about. */
export async function queueMonitorsIn(trx: Knex, windowId: string): Promise<void> {
  await trx.raw(
    `INSERT INTO monitor_due (monitor_id)
     SELECT m.id FROM maintenance_windows w JOIN monitors m ON ${IN_SCOPE} WHERE w.id = ? AND m.status = 'active'`,
    [windowId],
  );
}

/** How many monitors a window is about. */
export async function countMonitorsIn(db: Knex, windowId: string): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    `SELECT count(*)::int AS count FROM maintenance_windows w JOIN monitors m ON ${IN_SCOPE} WHERE w.id = ?`,
    [windowId],
  );
  return rows[0]?.count ?? 0;
}

/** Which of these ids are monitors or groups of an owner. */
export async function listOwned(
  db: Knex,
  table: 'monitors' | 'monitor_groups',
  ids: readonly string[],
  owner: Owner,
): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM ${table} WHERE id = ANY(:ids) AND ${ownedBy(owner)}`,
    { ids: [...ids], userId: owner.userId },
  );
  return rows.map(({ id }) => id);
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
