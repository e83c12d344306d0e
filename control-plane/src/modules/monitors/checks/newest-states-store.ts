import type { NodeStateReport } from '@vantage/shared/monitor-state/check-report.js';
import type { Knex } from 'knex';
import type { NewestState } from '../../../links/index.js';

/**
 * Stores the current verdicts of a node on its monitors, ahead of the checks that led to them: only for present assignments,
 * and only if they changed. A verdict counts as a vote only when its checks have been delivered too.
 */
export async function takeNewestStates(db: Knex, nodeId: string, states: readonly NewestState[]): Promise<void> {
  const bodies = states.map(({ bodyJson }) => JSON.parse(bodyJson) as NodeStateReport);
  await db.raw(
    `WITH said AS (
       INSERT INTO monitor_node_states AS s (monitor_id, node_id, generation, verdict, since, slot)
       SELECT g.monitor_id, a.node_id, g.generation, g.verdict, greatest(to_timestamp(g.since_ms / 1000), m.created_at),
         greatest(to_timestamp(g.slot_ms / 1000), m.created_at)
       FROM unnest(?::text[], ?::bigint[], ?::text[], ?::float8[], ?::float8[]) AS g(monitor_id, generation, verdict, since_ms, slot_ms)
       JOIN monitor_assignments a ON a.monitor_id = g.monitor_id AND a.node_id = ? AND a.ended_at IS NULL AND a.generation = g.generation
       JOIN monitors m ON m.id = g.monitor_id
       ORDER BY g.monitor_id
       ON CONFLICT (monitor_id, node_id) DO UPDATE
       SET generation = excluded.generation, verdict = excluded.verdict, since = excluded.since, slot = excluded.slot,
           error = CASE WHEN excluded.verdict = s.verdict THEN s.error END
       WHERE excluded.slot > s.slot AND (s.generation, s.verdict, s.since) IS DISTINCT FROM (excluded.generation, excluded.verdict, excluded.since)
       RETURNING monitor_id
     ) INSERT INTO monitor_due (monitor_id) SELECT monitor_id FROM said`,
    [
      states.map(({ subject }) => subject),
      states.map(({ generation }) => generation),
      bodies.map(({ verdict }) => verdict),
      bodies.map(({ since_ms }) => since_ms),
      states.map(({ slotMs }) => slotMs),
      nodeId,
    ],
  );
}
