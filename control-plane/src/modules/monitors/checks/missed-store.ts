import type { MissedReport } from '@vantage/shared/monitor-state/check-report.js';
import type { Knex } from 'knex';
import type { Delivered } from './check-store.js';
import { unreported } from './reported-slots.js';
import { mayBeReported, readReportedSlots } from './reported-slots-store.js';

const MAX_SLOTS = 2_000_000_000;

/** Stores slots that were not run, of monitors that their node had, without those already reported. */
export async function storeMissed(trx: Knex, rows: readonly Delivered<MissedReport>[]): Promise<void> {
  const doubtful = await insertMissed(trx, rows, { isLookedAt: false });
  // one by one: if two overlap, the first counts
  for (const row of doubtful) await storeUnreported(trx, row);
}

async function storeUnreported(trx: Knex, { nodeId, body }: Delivered<MissedReport>): Promise<void> {
  const { monitor_id: monitorId, first_slot_ms: firstMs, last_slot_ms: lastMs, count } = body;
  const [reported = []] = await readReportedSlots(trx, [{ nodeId, monitorId, firstMs, lastMs }]);
  const runs = unreported({ firstMs, lastMs, count }, reported).map((run) => ({
    nodeId,
    body: { ...body, first_slot_ms: run.firstMs, last_slot_ms: run.lastMs, count: run.count },
  }));
  if (runs.length > 0) await insertMissed(trx, runs, { isLookedAt: true });
}

/** Stores slots. @returns those that may have been reported before, which are not stored unless that was checked */
async function insertMissed(
  trx: Knex,
  rows: readonly Delivered<MissedReport>[],
  { isLookedAt }: { readonly isLookedAt: boolean },
): Promise<Delivered<MissedReport>[]> {
  const bodies = rows.map(({ body }) => body);
  const { rows: doubtful } = await trx.raw<{ rows: { number: number }[] }>(
    `WITH found AS MATERIALIZED (
       SELECT g.*, m.created_at, m.key AS monitor_key, n.key AS node_key,
              NOT ?::boolean AND ${mayBeReported('to_timestamp(g.first_ms / 1000)')} AS is_doubtful
       FROM unnest(?::text[], ?::text[], ?::float8[], ?::float8[], ?::int[], ?::text[]) WITH ORDINALITY
         AS g(node_id, monitor_id, first_ms, last_ms, slots, reason, number)
       JOIN monitor_assignments a ON a.monitor_id = g.monitor_id AND a.node_id = g.node_id
       JOIN monitors m ON m.id = g.monitor_id
       JOIN nodes n ON n.id = g.node_id
     ), stored AS (
       INSERT INTO missed_slots (monitor_key, node_key, first_at, last_at, slots, reason)
       SELECT monitor_key, node_key, greatest(to_timestamp(first_ms / 1000), created_at), greatest(to_timestamp(last_ms / 1000), created_at),
              slots, reason
       FROM found WHERE NOT is_doubtful
     )
     SELECT number::int FROM found WHERE is_doubtful ORDER BY number`,
    [
      isLookedAt,
      rows.map(({ nodeId }) => nodeId),
      bodies.map(({ monitor_id }) => monitor_id),
      bodies.map(({ first_slot_ms }) => first_slot_ms),
      bodies.map(({ last_slot_ms }) => last_slot_ms),
      bodies.map(({ count }) => Math.min(count, MAX_SLOTS)),
      bodies.map(({ reason }) => reason),
    ],
  );
  return doubtful.flatMap(({ number }) => rows[number - 1] ?? []);
}
