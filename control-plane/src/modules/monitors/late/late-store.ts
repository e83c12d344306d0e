import type { CheckOutcome } from '@vantage/shared/monitor-state/node-reducer.js';
import type { Knex } from 'knex';
import { instantLiteral } from '../../../db/literals.js';
import { checkFlags } from '../checks/check-flags.js';
import { outcomeCodes } from '../checks/check-store.js';
import type { EventType } from '../definition/event-type.js';
import type { Interval } from '../definition/interval.js';
import type { EarlierType } from '../events/event-phases.js';
import type { EventRow } from '../events/event-store.js';
import type { Corrections, StoredEpisode } from './reconcile.js';
import type { ReplayedCheck } from './replay.js';

/** Range of time of a monitor for which checks arrived late. */
export interface LateRange {
  readonly monitorId: string;
  readonly from: Date;
  readonly to: Date;
  /** Arrival of the first late check. */
  readonly notedAt: Date;
}

/** Facts about a monitor that a replay needs. */
export interface ReplayedMonitor {
  readonly id: string;
  readonly key: number;
  readonly owner_id: string;
  readonly is_test: boolean;
  readonly group_id: string | null;
  readonly tags: readonly string[];
  readonly interval_s: number;
  readonly consecutive_fail: number;
  readonly consecutive_ok: number;
  readonly fail_node_quorum: string;
  /** Earliest begin of an event. */
  readonly not_before: Date;
  readonly same_rule_since: Date;
  /** True while a node still delivers old checks. */
  readonly is_catching_up: boolean;
  /** ISO 8601. */
  readonly nodes: readonly {
    readonly id: string;
    readonly key: number;
    readonly assigned_at: string;
    readonly ended_at: string | null;
  }[];
}

/** Event that a replay may correct or begin with. */
export type ReplayedEvent = Pick<
  EventRow,
  'id' | 'started_at' | 'ended_at' | 'resolved_at' | 'disputed' | 'earlier_types'
> & {
  readonly type: EventType;
  /** True if the event was notified, or a user has acted on it. */
  readonly is_known: boolean;
};

/** Event in the past that is to be stored. */
export interface PastEvent {
  readonly id: string;
  readonly type: EventType;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly affectedNodes: readonly string[];
  readonly reason: string;
  readonly earlier: readonly EarlierType[];
}

/** Claims all recorded ranges of a monitor as one range; null if none is due. The records remain if the transaction fails. */
export async function claimLate(trx: Knex): Promise<LateRange | null> {
  const { rows } = await trx.raw<{ rows: LateRange[] }>(
    `WITH taken AS (
       DELETE FROM late_checks WHERE id = ANY(ARRAY(
         SELECT id FROM late_checks
         WHERE monitor_id = (SELECT monitor_id FROM late_checks WHERE due_at <= clock_timestamp() ORDER BY due_at, id LIMIT 1
                             FOR UPDATE SKIP LOCKED)
         FOR UPDATE SKIP LOCKED
       )) RETURNING *
     ) SELECT monitor_id AS "monitorId", min(from_at) AS "from", max(to_at) AS "to", min(noted_at) AS "notedAt"
     FROM taken GROUP BY monitor_id`,
  );
  return rows[0] ?? null;
}

/** Postpones all recorded ranges of a monitor. */
export async function putOffLate(db: Knex, monitorId: string, waitMs: number): Promise<void> {
  await db.raw("UPDATE late_checks SET due_at = clock_timestamp() + ? * interval '1 ms' WHERE monitor_id = ?", [
    waitMs,
    monitorId,
  ]);
}

/** Records that a range is to be examined again after `waitMs`. */
export async function insertLate(
  trx: Knex,
  { monitorId, from, to, notedAt }: LateRange,
  waitMs: number,
): Promise<void> {
  await trx.raw(
    `INSERT INTO late_checks (monitor_id, from_at, to_at, noted_at, due_at)
     VALUES (?, ?, ?, ?, clock_timestamp() + ? * interval '1 ms')`,
    [monitorId, from, to, notedAt, waitMs],
  );
}

/** Reads a monitor for a replay; null if there is no such monitor. `staleMs`: greatest age of a node's results, by interval in seconds. */
export async function findReplayed(
  trx: Knex,
  monitorId: string,
  { now, staleMs }: { readonly now: Date; readonly staleMs: (intervalSeconds: number) => number },
): Promise<ReplayedMonitor | null> {
  const { rows } = await trx.raw<{ rows: (Omit<ReplayedMonitor, 'is_catching_up'> & { behind_since: Date | null })[] }>(
    `SELECT m.id, m.key, m.owner_id, m.is_test, m.group_id, m.tags, m.interval_s, m.consecutive_fail, m.consecutive_ok,
            m.fail_node_quorum, s.not_before, s.same_rule_since,
            (SELECT coalesce(json_agg(json_build_object(
                 'id', n.id, 'key', n.key, 'assigned_at', a.assigned_at, 'ended_at', a.ended_at)), '[]')
             FROM monitor_assignments a JOIN nodes n ON n.id = a.node_id WHERE a.monitor_id = m.id) AS nodes,
            (SELECT min(p.complete_through) FROM monitor_assignments a
             JOIN nodes n ON n.id = a.node_id AND n.session_id IS NOT NULL
             JOIN node_progress p ON p.node_id = a.node_id
             WHERE a.monitor_id = m.id AND a.ended_at IS NULL) AS behind_since
     FROM monitors m JOIN monitor_states s ON s.monitor_id = m.id WHERE m.id = ?`,
    [monitorId],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { behind_since, ...monitor } = row;
  const isBehind = behind_since !== null && now.getTime() - behind_since.getTime() > staleMs(row.interval_s);
  return { ...monitor, is_catching_up: isBehind };
}

/** Events of a monitor that end after an instant or have not ended, and the last one that ended before; oldest first. */
export async function listEventsSince(trx: Knex, monitorId: string, from: Date): Promise<ReplayedEvent[]> {
  const { rows } = await trx.raw<{ rows: ReplayedEvent[] }>(
    `SELECT id, type, started_at, ended_at, resolved_at, disputed, earlier_types,
            was_told OR is_false_positive OR ack_at IS NOT NULL OR notes IS NOT NULL AS is_known
     FROM monitor_events WHERE monitor_id = :monitorId AND coalesce(ended_at, 'infinity') >= coalesce(
       (SELECT max(ended_at) FROM monitor_events WHERE monitor_id = :monitorId AND ended_at <= :from), :from)
     ORDER BY started_at, id`,
    { monitorId, from },
  );
  return rows;
}

const OUTCOMES = Object.fromEntries(Object.entries(outcomeCodes).map(([name, code]) => [code, name as CheckOutcome]));

/** Up to `limit` checks that count, between two instants, in the order of their slots. */
export async function listCounting(
  trx: Knex,
  { key, nodes }: Pick<ReplayedMonitor, 'key' | 'nodes'>,
  { fromMs, toMs, limit }: Interval & { readonly limit: number },
): Promise<ReplayedCheck[]> {
  const ids = new Map(nodes.map((node) => [node.key, node.id]));
  const { rows } = await trx.raw<{ rows: { at: Date; node_key: number; outcome: number }[] }>(
    `SELECT at, node_key, outcome FROM monitor_checks
     WHERE monitor_key = ? AND at >= ${instantLiteral(fromMs)} AND at < ${instantLiteral(toMs)}
       AND flags & ${checkFlags.superseded | checkFlags.asked} = 0 AND (error IS NULL OR error NOT LIKE 'not_supported:%')
     ORDER BY at, node_key LIMIT ${limit}`,
    [key],
  );
  return rows.flatMap(({ at, node_key, outcome: code }) => {
    const [nodeId, outcome] = [ids.get(node_key), OUTCOMES[code]];
    return nodeId === undefined || outcome === undefined ? [] : [{ atMs: at.getTime(), nodeId, outcome }];
  });
}

/** Last error of each of the nodes in a range. */
export async function listErrors(
  trx: Knex,
  { key, nodes }: Pick<ReplayedMonitor, 'key' | 'nodes'>,
  { nodeIds, fromMs, toMs }: Interval & { readonly nodeIds: readonly string[] },
): Promise<string[]> {
  const keys = nodes.filter(({ id }) => nodeIds.includes(id)).map((node) => node.key);
  const { rows } = await trx.raw<{ rows: { error: string }[] }>(
    `SELECT DISTINCT ON (node_key) error FROM monitor_checks
     WHERE monitor_key = ? AND node_key = ANY(?) AND error IS NOT NULL
       AND at >= ${instantLiteral(fromMs)} AND at < ${instantLiteral(toMs)}
     ORDER BY node_key, at DESC`,
    [key, keys],
  );
  return rows.map(({ error }) => error);
}

/** Stores an event in the past, without a notification. */
export async function insertPast(trx: Knex, monitorId: string, event: PastEvent): Promise<void> {
  await trx('monitor_events').insert({
    id: event.id,
    monitor_id: monitorId,
    type: event.type,
    started_at: event.startedAt,
    ended_at: event.endedAt,
    affected_nodes: event.affectedNodes,
    reason: event.reason,
    earlier_types: JSON.stringify(event.earlier),
    backfilled: true,
    was_told: false,
  });
}

/** Corrects closed events of a locked monitor. */
export async function updatePast(
  trx: Knex,
  { moved, disputed, upheld, deleted }: Omit<Corrections, 'inserted'>,
): Promise<void> {
  await trx.raw(
    `UPDATE monitor_events e SET started_at = to_timestamp(g.started_ms / 1000), ended_at = to_timestamp(g.ended_ms / 1000),
       earlier_types = g.earlier::jsonb, backfilled = true
     FROM unnest(?::text[], ?::float8[], ?::float8[], ?::text[]) AS g(id, started_ms, ended_ms, earlier) WHERE e.id = g.id`,
    [
      timesOf(moved, 'id'),
      timesOf(moved, 'startedAtMs'),
      timesOf(moved, 'endedAtMs'),
      moved.map(({ earlier }) => JSON.stringify(earlier)),
    ],
  );
  await trx.raw('UPDATE monitor_events SET disputed = id = ANY(?) WHERE id = ANY(?)', [
    [...disputed],
    [...disputed, ...upheld],
  ]);
  // a user may have acted on an event since it was read
  await trx.raw(
    'DELETE FROM monitor_events WHERE id = ANY(?) AND NOT was_told AND NOT is_false_positive AND ack_at IS NULL AND notes IS NULL',
    [[...deleted]],
  );
}

function timesOf<K extends keyof StoredEpisode>(
  moved: Corrections['moved'],
  key: K & ('id' | 'startedAtMs' | 'endedAtMs'),
) {
  return moved.map((event) => event[key]);
}
