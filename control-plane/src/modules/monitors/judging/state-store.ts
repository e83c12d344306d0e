import type { NodeWord } from '@vantage/shared/monitor-state/node-reducer.js';
import type { MonitorHealth } from '@vantage/shared/monitor-state/quorum.js';
import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';
import type { Node } from '../../nodes/index.js';
import type { EventType } from '../definition/event-type.js';
import type { OpenEvent } from './transition.js';

/** Vote of a node on a monitor, and the facts that decide whether the vote counts. */
export interface VoteRow {
  readonly node_id: string;
  /** Generation of the assignment. */
  readonly generation: number;
  /** Generation of the assignment that the vote belongs to; null if the node has not voted. */
  readonly state_generation: number | null;
  readonly verdict: NodeWord | null;
  /** ISO 8601. */
  readonly since: string | null;
  readonly error: string | null;
  readonly is_linked: boolean;
  readonly left_at: string | null;
  readonly is_shut_out: boolean;
  readonly self_test: Node['selfTest'];
  readonly complete_through: string | null;
}

/** Everything that a judgment of a monitor depends on. */
export interface JudgedRow {
  readonly id: string;
  readonly owner_id: string;
  readonly is_test: boolean;
  readonly name: string;
  readonly type: string;
  readonly target: string;
  readonly status: string;
  readonly group_id: string | null;
  readonly tags: readonly string[];
  readonly interval_s: number;
  readonly fail_node_quorum: string;
  readonly notifies_owner: boolean;
  readonly version: number;
  readonly health: MonitorHealth;
  /** Type of the event when a user resolved it; null if none was resolved, or the monitor has been up since. */
  readonly resolved_type: EventType | null;
  readonly failing_nodes: readonly string[];
  readonly is_flapping: boolean;
  /** Time when the lack of data was published; null if it was not. */
  readonly no_data_at: Date | null;
  /** Earliest begin of an event: the time when the monitor was resumed, or its last event ended. */
  readonly not_before: Date;
  readonly first_check_at: Date | null;
  readonly event_type: EventType | null;
  readonly event_started_at: Date | null;
  /** Type of the open event that was notified. */
  readonly event_told_type: EventType | null;
  readonly votes: readonly VoteRow[];
}

/** State of a monitor after a judgment. */
export interface NewState {
  readonly monitorId: string;
  /** Version of the state that was judged; the write is refused if another version is stored. */
  readonly version: number;
  readonly health: MonitorHealth;
  readonly resolvedType: EventType | null;
  readonly failingNodes: readonly string[];
  readonly isFlapping: boolean;
  readonly firstCheckAt: Date | null;
  /** Time of the check or ping that decided the health; null if nothing is known from now on. */
  readonly decidedAt: Date | null;
}

/** Marks monitors as due for judgment; harmless if repeated. */
export async function insertDue(db: Knex, monitorIds: readonly string[]): Promise<void> {
  if (monitorIds.length === 0) return;
  await db.raw('INSERT INTO monitor_due (monitor_id) SELECT unnest(?::text[])', [[...monitorIds]]);
}

/** Delay before retrying a monitor whose state is locked. */
const BUSY = "interval '1 s'";

/** Monitor that is due for judgment, and how long it has been. */
export interface DueMonitor {
  readonly id: string;
  readonly waitedMs: number;
}

/**
 * Claims due monitors and locks their states; no one else can claim them until the transaction ends, and they are due again if it
 * fails. Monitors whose state is locked are postponed: a correction of their history may take long, and must not delay the others.
 */
export async function claimDue(trx: Knex, limit: number): Promise<DueMonitor[]> {
  const { rows } = await trx.raw<{ rows: { monitor_id: string; waited_ms: number }[] }>(
    `DELETE FROM monitor_due WHERE id = ANY(ARRAY(
       SELECT id FROM monitor_due WHERE due_at <= clock_timestamp() ORDER BY due_at, id LIMIT ? FOR UPDATE SKIP LOCKED
     )) RETURNING monitor_id, (extract(epoch FROM clock_timestamp() - due_at) * 1000)::float8 AS waited_ms`,
    [limit],
  );
  const longest = new Map<string, number>();
  for (const { monitor_id, waited_ms } of rows)
    longest.set(monitor_id, Math.max(waited_ms, longest.get(monitor_id) ?? 0));
  const ids = [...longest.keys()];
  if (ids.length === 0) return [];
  const { rows: free } = await trx.raw<{ rows: { monitor_id: string }[] }>(
    'SELECT monitor_id FROM monitor_states WHERE monitor_id = ANY(?) ORDER BY monitor_id FOR NO KEY UPDATE SKIP LOCKED',
    [ids],
  );
  const taken = free.map(({ monitor_id }) => monitor_id);
  await dropRepeated(trx, taken);
  if (taken.length < ids.length)
    await trx.raw(
      `INSERT INTO monitor_due (monitor_id, due_at) SELECT monitor_id, clock_timestamp() + ${BUSY} FROM monitor_states
       WHERE monitor_id = ANY(?) AND monitor_id <> ALL(?)`,
      [ids, taken],
    );
  return taken.map((id) => ({ id, waitedMs: longest.get(id) ?? 0 }));
}

const REPEATED = {
  name: 'drop-repeated-due',
  text: `
    DELETE FROM monitor_due WHERE id = ANY(ARRAY(
      SELECT id FROM monitor_due WHERE monitor_id = ANY($1::text[]) AND due_at <= clock_timestamp() FOR UPDATE SKIP LOCKED
    )) RETURNING id`,
};

/** Takes the other due rows of claimed monitors out of the queue: their judgment reads all that these were queued for. */
async function dropRepeated(trx: Knex, monitorIds: readonly string[]): Promise<void> {
  await queryPrepared(trx, REPEATED, [[...monitorIds]]);
}

/** Number of due judgments that have not been claimed. */
export async function countDue(db: Knex): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ due: number }] }>(
    'SELECT count(*)::int AS due FROM monitor_due WHERE due_at <= clock_timestamp()',
  );
  return rows[0].due;
}

/** Everything that judgments of these monitors depend on. */
export async function readJudged(trx: Knex, monitorIds: readonly string[]): Promise<JudgedRow[]> {
  const { rows } = await trx.raw<{ rows: JudgedRow[] }>(
    `SELECT m.id, m.owner_id, m.is_test, m.name, m.type, m.target, m.status, m.group_id, m.tags, m.interval_s, m.fail_node_quorum,
            m.notifies_owner, s.version, s.health, s.resolved_type, s.failing_nodes, s.is_flapping, s.no_data_at, s.first_check_at,
            greatest(s.not_before, (
              SELECT ended_at FROM monitor_events WHERE monitor_id = m.id AND ended_at IS NOT NULL ORDER BY started_at DESC LIMIT 1
            )) AS not_before,
            e.type AS event_type, e.started_at AS event_started_at, coalesce(e.told_type, e.type) AS event_told_type,
            (SELECT coalesce(json_agg(json_build_object(
                 'node_id', a.node_id, 'generation', a.generation, 'state_generation', v.generation, 'verdict', v.verdict,
                 'since', v.since, 'error', v.error, 'is_linked', n.session_id IS NOT NULL, 'left_at', n.left_at,
                 'is_shut_out', n.banned_at IS NOT NULL OR n.quarantined_at IS NOT NULL OR n.deleted_at IS NOT NULL,
                 'self_test', n.self_test, 'complete_through', p.complete_through)), '[]')
             FROM monitor_assignments a
             JOIN nodes n ON n.id = a.node_id
             LEFT JOIN monitor_node_states v ON v.monitor_id = a.monitor_id AND v.node_id = a.node_id
             LEFT JOIN node_progress p ON p.node_id = a.node_id
             WHERE a.monitor_id = m.id AND a.ended_at IS NULL) AS votes
     FROM monitors m JOIN monitor_states s ON s.monitor_id = m.id
     LEFT JOIN monitor_events e ON e.monitor_id = m.id AND e.ended_at IS NULL
     WHERE m.id = ANY(?) ORDER BY m.id`,
    [[...monitorIds]],
  );
  return rows;
}

/** Writes a state by compare-and-swap; false if it has been written since it was read. */
export async function updateState(
  trx: Knex,
  { monitorId, version, health, resolvedType, failingNodes, isFlapping, firstCheckAt, decidedAt }: NewState,
): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: object[] }>(
    `UPDATE monitor_states SET version = version + 1, health = :health, resolved_type = :resolvedType, failing_nodes = :failingNodes, is_flapping = :isFlapping,
       first_check_at = coalesce(first_check_at, :firstCheckAt),
       changed_at = CASE WHEN health = :health THEN changed_at WHEN :decidedAt::timestamptz IS NULL THEN now()
         ELSE greatest(changed_at, :decidedAt::timestamptz) END,
       no_data_at = CASE WHEN health = :health THEN no_data_at END
     WHERE monitor_id = :monitorId AND version = :version RETURNING monitor_id`,
    { monitorId, version, health, resolvedType, failingNodes: [...failingNodes], isFlapping, firstCheckAt, decidedAt },
  );
  return rows.length === 1;
}

/** Blocks judgments of a monitor until the transaction ends. */
export async function lockState(trx: Knex, monitorId: string): Promise<void> {
  await trx.raw('SELECT FROM monitor_states WHERE monitor_id = ? FOR NO KEY UPDATE', [monitorId]);
}

/** Blocks judgments of all monitors of a user, locking in the order that judgments use. */
export async function lockStatesOf(trx: Knex, ownerId: string): Promise<void> {
  await trx.raw(
    `SELECT FROM monitor_states s JOIN monitors m ON m.id = s.monitor_id WHERE m.owner_id = ?
     ORDER BY m.id FOR NO KEY UPDATE OF s`,
    [ownerId],
  );
}

/** Ends the pause of a resumed monitor at its first decision since: the time before was not watched. */
export async function endPause(trx: Knex, monitorId: string, decidedAt: Date): Promise<void> {
  await trx.raw('UPDATE monitor_pauses SET to_at = greatest(from_at, ?) WHERE monitor_id = ? AND to_at IS NULL', [
    decidedAt,
    monitorId,
  ]);
}

/** Open event of a monitor, or null. */
export function openEventOf({
  event_type: type,
  event_started_at: startedAt,
  event_told_type: notifiedType,
}: Pick<JudgedRow, 'event_type' | 'event_started_at' | 'event_told_type'>): OpenEvent | null {
  if (type === null || startedAt === null) return null;
  return { type, startedAtMs: startedAt.getTime(), notifiedType: notifiedType ?? type };
}

/** Records that a user resolved an event of this type; judgments of the earlier state are refused. */
export async function noteResolved(trx: Knex, monitorId: string, type: EventType): Promise<void> {
  await trx.raw('UPDATE monitor_states SET version = version + 1, resolved_type = ? WHERE monitor_id = ?', [
    type,
    monitorId,
  ]);
}

/** Resets the health of monitors to unknown; no event begins before `at`. */
export async function resetStates(trx: Knex, monitorIds: readonly string[], at: Date): Promise<void> {
  const ids = [...monitorIds];
  await trx.raw('SELECT FROM monitor_states WHERE monitor_id = ANY(?) ORDER BY monitor_id FOR NO KEY UPDATE', [ids]);
  await trx.raw(
    `UPDATE monitor_states SET version = version + 1, health = 'unknown', resolved_type = NULL, failing_nodes = '{}', is_flapping = false, no_data_at = NULL, changed_at = now(), not_before = ?
     WHERE monitor_id = ANY(?)`,
    [at, ids],
  );
  await trx('monitor_node_states').whereRaw('monitor_id = ANY(?)', [ids]).delete();
}

/** Marks all flapping monitors as due for judgment: they settle with time, without new checks. */
export async function queueFlapping(db: Knex): Promise<void> {
  await db.raw(
    `INSERT INTO monitor_due (monitor_id) SELECT monitor_id FROM monitor_states s
     WHERE is_flapping AND NOT EXISTS (SELECT FROM monitor_due d WHERE d.monitor_id = s.monitor_id)`,
  );
}

/**
 * Finds nodes whose results have become too old for some of their monitors, or new enough again, and marks these as due.
 * `limitsMs`: greatest age of results for each of `intervals`, shortest interval first. @returns the number of monitors
 */
export async function queueStale(db: Knex, intervals: readonly number[], limitsMs: readonly number[]): Promise<number> {
  const { rows } = await db.raw<{ rows: { queued: number }[] }>(
    `WITH lagging AS (
       SELECT p.node_id, p.lag_class AS before, (
         SELECT count(*)::smallint FROM unnest(:limitsMs::float8[]) l
         WHERE clock_timestamp() - p.complete_through > l * interval '1 millisecond'
       ) AS after
       FROM node_progress p
     ), changed AS (
       UPDATE node_progress p SET lag_class = l.after FROM lagging l
       WHERE l.node_id = p.node_id AND l.after <> p.lag_class RETURNING p.node_id, l.before, l.after
     ), queued AS (
       INSERT INTO monitor_due (monitor_id)
       SELECT DISTINCT m.id FROM changed c
       JOIN monitor_assignments a ON a.node_id = c.node_id AND a.ended_at IS NULL
       JOIN monitors m ON m.id = a.monitor_id
       WHERE m.interval_s = ANY((:intervals::int[])[least(c.before, c.after) + 1 : greatest(c.before, c.after)])
       RETURNING 1
     ) SELECT count(*)::int AS queued FROM queued`,
    { intervals: [...intervals], limitsMs: [...limitsMs] },
  );
  return rows[0]?.queued ?? 0;
}
