import type { CheckReport } from '@vantage/shared/monitor-state/check-report.js';
import type { Knex } from 'knex';
import { instantLiteral } from '../../../db/literals.js';
import { type PreparedStatement, queryPrepared } from '../../../db/prepared.js';
import { type PlanName, type Plans, planNames } from '../../../plans/index.js';
import { CHECK_SECONDS, FRESH_INTERVALS, freshnessMs } from '../definition/freshness.js';
import { monitorIntervals } from '../definition/intervals.js';
import { checkFlags } from './check-flags.js';
import { type DeliveredDetails, storeDetails } from './details-store.js';
import { isReportedAt } from './reported-slots.js';
import { mayBeReported, readReportedSlots } from './reported-slots-store.js';

/** A report, and the node that delivered it. */
export interface Delivered<R> {
  readonly nodeId: string;
  readonly body: R;
}

/** Check as it is accepted; `details`: its measurements as JSON of an object, if the node sent them. */
export type TakenCheck = CheckReport & { readonly details?: string };

/** Stored numbers of outcomes. */
export const outcomeCodes = { ok: 0, degraded: 1, failed: 2 } as const;

const PROGRESS_SECONDS = 10;
/** Time after which a check counts as late when it is stored, in seconds since it was due. */
const LATE_SECONDS = 120;

/** Days for which checks are kept, by the plan that the owner of their monitor has when they are stored. */
export type CheckDaysOf = Readonly<Record<PlanName, number>>;

/** Days for which checks are kept in each plan. */
export function checkDaysOf(plans: Plans): CheckDaysOf {
  return Object.fromEntries(planNames.map((plan) => [plan, plans[plan].check_days])) as Record<PlanName, number>;
}

/** SQL: greatest age of results of a node that count for a monitor `m`. */
const FRESH = `(${FRESH_INTERVALS} * m.interval_s + ${CHECK_SECONDS}) * interval '1 s'`;
/** The same age for the shortest interval: a node that was never older has nothing to catch up, and its monitors are not examined. */
const SHORTEST_FRESH_SECONDS = freshnessMs(Math.min(...monitorIntervals)) / 1_000;

// One statement: no check precedes the creation of its monitor, whatever clocks say; reports about monitors that the node does not have, or had too long ago, are left out, and so are those that may have been reported
// before (reported-slots-store.ts) unless that was checked. It stores the checks; the verdict of the node, if it changed; how far it has
// delivered, every ten seconds; the minutes that were rolled up already and must be rolled up again; the ranges with results that
// were not judged in time, since they arrived late, or after or together with what made them old; and the monitors to be judged:
// those for which the verdict of a node changed, or a node has caught up.
const STORE: PreparedStatement = {
  name: 'checks-store',
  text: `
  WITH given AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::float8[], $5::int[], $6::smallint[], $7::real[],
      $8::smallint[], $9::text[], $10::text[], $11::float8[], $12::float8[]) WITH ORDINALITY
      AS g(node_id, monitor_id, generation, slot_ms, late_ms, outcome, response_ms, status_code, error, verdict, since_ms, through_ms, number)
  ), found AS MATERIALIZED (
    SELECT g.node_id, g.monitor_id, g.generation, g.slot_ms, g.late_ms, g.outcome, g.response_ms, g.status_code, g.error, g.verdict,
           CASE WHEN g.since_ms IS NOT NULL THEN greatest(g.since_ms, extract(epoch FROM m.created_at)::float8 * 1000) END AS since_ms,
           g.through_ms, g.number, greatest(to_timestamp(g.slot_ms / 1000), m.created_at) AS at, m.key AS monitor_key, n.key AS node_key,
           a.generation = g.generation AND a.ended_at IS NULL AS is_current, ($13::jsonb ->> o.plan)::smallint AS keep_days,
           NOT $14 AND g.verdict IS NOT NULL AND ${mayBeReported('to_timestamp(g.slot_ms / 1000)')} AS is_doubtful,
           least(interval '${LATE_SECONDS} s', ${FRESH}) AS late_after
    FROM given g
    JOIN monitor_assignments a ON a.monitor_id = g.monitor_id AND a.node_id = g.node_id
    JOIN monitors m ON m.id = g.monitor_id
    JOIN owners o ON o.id = m.owner_id
    JOIN nodes n ON n.id = g.node_id
  ), known AS (
    SELECT * FROM found WHERE NOT is_doubtful
  ), stored AS (
    INSERT INTO monitor_checks (at, monitor_key, node_key, late_ms, response_ms, status_code, outcome, flags, keep_days, error)
    SELECT at, monitor_key, node_key, late_ms, response_ms, status_code, outcome,
           (CASE WHEN is_current THEN 0 ELSE ${checkFlags.superseded} END)
           + (CASE WHEN verdict IS NULL THEN ${checkFlags.asked} ELSE 0 END)
           + (CASE WHEN clock_timestamp() - at > interval '${LATE_SECONDS} s' THEN ${checkFlags.late} ELSE 0 END),
           keep_days, error
    FROM known
  ), closed AS MATERIALIZED (
    SELECT rollups_closed_through() AS through
  ), dirty AS (
    INSERT INTO rollup_dirty (level, monitor_key, node_key, at)
    SELECT DISTINCT '1m', monitor_key, node_key, date_bin('1 minute', at, timestamptz 'epoch') FROM known, closed WHERE at < through
  ), progress AS (
    INSERT INTO node_progress AS p (node_id, complete_through)
    SELECT node_id, to_timestamp(max(through_ms) / 1000) FROM given GROUP BY node_id ORDER BY node_id
    ON CONFLICT (node_id) DO UPDATE SET complete_through = excluded.complete_through
    WHERE excluded.complete_through >= p.complete_through + interval '${PROGRESS_SECONDS} s'
    RETURNING node_id, complete_through
  ), caught_up AS (
    SELECT a.monitor_id FROM progress now
    LEFT JOIN node_progress before ON before.node_id = now.node_id
    JOIN monitor_assignments a ON a.node_id = now.node_id AND a.ended_at IS NULL
    JOIN monitors m ON m.id = a.monitor_id
    WHERE clock_timestamp() - coalesce(before.complete_through, 'epoch') > interval '${SHORTEST_FRESH_SECONDS} s'
      AND clock_timestamp() - coalesce(before.complete_through, 'epoch') > ${FRESH}
      AND clock_timestamp() - now.complete_through <= ${FRESH}
  ), newest AS (
    SELECT DISTINCT ON (monitor_id, node_id) * FROM known WHERE is_current AND verdict IS NOT NULL
    ORDER BY monitor_id, node_id, slot_ms DESC
  ), unseen AS (
    INSERT INTO late_checks (monitor_id, from_at, to_at)
    SELECT k.monitor_id, min(k.at), max(k.at)
    FROM (
      SELECT *, first_value(since_ms) OVER (PARTITION BY monitor_id, node_id ORDER BY slot_ms DESC) AS newest_since_ms
      FROM known WHERE is_current AND verdict IS NOT NULL
    ) k
    CROSS JOIN LATERAL (
      SELECT max(s.slot) AS slot, max(s.since) AS since FROM monitor_node_states s
      WHERE s.monitor_id = k.monitor_id AND s.node_id = k.node_id AND s.generation = k.generation
    ) s
    WHERE clock_timestamp() - k.at > k.late_after OR k.at < s.slot
      OR (k.since_ms <> k.newest_since_ms AND s.since IS DISTINCT FROM to_timestamp(k.since_ms / 1000))
    GROUP BY k.monitor_id
  ), said AS (
    INSERT INTO monitor_node_states AS s (monitor_id, node_id, generation, verdict, since, slot, error)
    SELECT monitor_id, node_id, generation, verdict, to_timestamp(since_ms / 1000), at, error FROM newest
    ON CONFLICT (monitor_id, node_id) DO UPDATE
    SET generation = excluded.generation, verdict = excluded.verdict, since = excluded.since, slot = excluded.slot, error = excluded.error
    WHERE excluded.slot > s.slot AND (s.generation, s.verdict, s.since) IS DISTINCT FROM (excluded.generation, excluded.verdict, excluded.since)
       OR excluded.slot = s.slot AND s.error IS NULL AND excluded.error IS NOT NULL
    RETURNING monitor_id
  ), due AS (
    INSERT INTO monitor_due (monitor_id) SELECT monitor_id FROM said UNION SELECT monitor_id FROM caught_up RETURNING monitor_id
  )
  SELECT monitor_id, NULL::int AS doubtful FROM due UNION ALL SELECT NULL, number::int FROM found WHERE is_doubtful`,
};

/** Stores checks that were not delivered before; those of a slot already reported are dropped. @returns ids of the monitors that are due now */
export async function storeChecks(
  trx: Knex,
  rows: readonly Delivered<TakenCheck>[],
  keptFor: CheckDaysOf,
): Promise<string[]> {
  const { due, doubtful } = await store(trx, rows, { keptFor, isLookedAt: false });
  const unreported = doubtful.length === 0 ? [] : await withoutReported(trx, doubtful);
  const dueOfUnreported =
    unreported.length === 0 ? [] : (await store(trx, unreported, { keptFor, isLookedAt: true })).due;
  const isUnreported = new Set(unreported);
  const reported = new Set(doubtful.filter((row) => !isUnreported.has(row)));
  await storeDetails(trx, rows.filter((row) => !reported.has(row)).flatMap(detailsOf));
  return [...due, ...dueOfUnreported];
}

function detailsOf({ nodeId, body }: Delivered<TakenCheck>): DeliveredDetails[] {
  const { monitor_id: monitorId, slot_ms: slotMs, details } = body;
  return details === undefined ? [] : [{ nodeId, monitorId, slotMs: Math.floor(slotMs), details }];
}

interface StoreHow {
  readonly keptFor: CheckDaysOf;
  /** True if it was checked that none of these slots was reported before. */
  readonly isLookedAt: boolean;
}

async function store(trx: Knex, rows: readonly Delivered<TakenCheck>[], { keptFor, isLookedAt }: StoreHow) {
  const bodies = rows.map(({ body }) => body);
  const answers = await queryPrepared<{ monitor_id: string | null; doubtful: number | null }>(trx, STORE, [
    rows.map(({ nodeId }) => nodeId),
    bodies.map(({ monitor_id }) => monitor_id),
    bodies.map(({ generation }) => generation),
    bodies.map(({ slot_ms }) => Math.floor(slot_ms)),
    bodies.map(({ late_ms }) => Math.round(late_ms)),
    bodies.map(({ outcome }) => outcomeCodes[outcome]),
    bodies.map(({ response_ms }) => response_ms),
    bodies.map(({ status_code }) => status_code),
    bodies.map(({ error }) => (error === null ? null : `${error.code}: ${error.message}`)),
    bodies.map(({ state }) => state?.verdict ?? null),
    bodies.map(({ state }) => state?.since_ms ?? null),
    bodies.map(({ through_ms }) => through_ms),
    JSON.stringify(keptFor),
    isLookedAt,
  ]);
  return {
    due: answers.flatMap(({ monitor_id }) => monitor_id ?? []),
    doubtful: answers.flatMap(({ doubtful }) => (doubtful === null ? [] : (rows[doubtful - 1] ?? []))),
  };
}

/** Checks whose slot was not reported before, one per slot. */
async function withoutReported(
  trx: Knex,
  rows: readonly Delivered<TakenCheck>[],
): Promise<readonly Delivered<TakenCheck>[]> {
  const ranges = rows.map(({ nodeId, body }) => {
    const slotMs = Math.floor(body.slot_ms);
    return { nodeId, monitorId: body.monitor_id, firstMs: slotMs, lastMs: slotMs };
  });
  const reported = await readReportedSlots(trx, ranges);
  const seen = new Set<string>();
  return rows.filter((_, index) => {
    const range = ranges[index];
    if (range === undefined) return false;
    const slot = `${range.nodeId} ${range.monitorId} ${range.firstMs}`;
    if (seen.has(slot) || isReportedAt(reported[index] ?? [], range.firstMs)) return false;
    seen.add(slot);
    return true;
  });
}

/** Stored check. */
export interface CheckRow {
  readonly at: Date;
  readonly late_ms: number;
  readonly node_id: string;
  readonly response_ms: number | null;
  readonly status_code: number | null;
  readonly outcome: number;
  readonly flags: number;
  readonly error: string | null;
}

/** Checks of a monitor on request since an instant, newest first. */
export async function listAskedChecks(db: Knex, monitorKey: number, since: Date): Promise<CheckRow[]> {
  const { rows } = await db.raw<{ rows: CheckRow[] }>(
    `SELECT c.at, c.late_ms, n.id AS node_id, c.response_ms, c.status_code, c.outcome, c.flags, c.error
     FROM monitor_checks c JOIN nodes n ON n.key = c.node_key
     WHERE c.monitor_key = ? AND c.at >= ? AND c.flags & ${checkFlags.asked} <> 0 ORDER BY c.at DESC`,
    [monitorKey, since],
  );
  return rows;
}

/** Position of a check in lists: its due time and its node. */
export interface CheckPosition {
  readonly atMs: number;
  readonly nodeId: string;
}

const DAY_MS = 86_400_000;
/** Successive depths of the search for a page, in days, so that a page rarely opens the partitions of a year. */
const LOOK_BACK_DAYS = [2, 10, 50, 400];

/** Selection of checks of a monitor. */
export interface ChecksPage {
  readonly monitorKey: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly after: CheckPosition | null;
  readonly limit: number;
}

/** Checks of a monitor, newest first, those after a position. */
export async function listChecks(db: Knex, page: ChecksPage): Promise<CheckRow[]> {
  const newestMs = Math.min(page.toMs, page.after?.atMs ?? Number.POSITIVE_INFINITY);
  let rows: CheckRow[] = [];
  for (const days of LOOK_BACK_DAYS) {
    const sinceMs = Math.max(page.fromMs, newestMs - days * DAY_MS);
    rows = await listChecksSince(db, { ...page, fromMs: sinceMs, toMs: newestMs });
    if (rows.length === page.limit || sinceMs === page.fromMs) break;
  }
  return rows;
}

async function listChecksSince(db: Knex, { monitorKey, fromMs, toMs, after, limit }: ChecksPage): Promise<CheckRow[]> {
  const { rows } = await db.raw<{ rows: CheckRow[] }>(
    `SELECT c.at, c.late_ms, n.id AS node_id, c.response_ms, c.status_code, c.outcome, c.flags, c.error
     FROM monitor_checks c JOIN nodes n ON n.key = c.node_key
     WHERE c.monitor_key = :monitorKey AND c.at >= ${instantLiteral(fromMs)} AND c.at <= ${instantLiteral(toMs)}
       ${after === null ? '' : 'AND (c.at, n.id) < (:afterAt, :afterNode)'}
     ORDER BY c.at DESC, n.id DESC LIMIT :limit`,
    {
      monitorKey,
      limit,
      ...(after === null ? {} : { afterAt: new Date(after.atMs), afterNode: after.nodeId }),
    },
  );
  return rows;
}
