import type { Knex } from 'knex';
import { instantLiteral } from '../../../db/literals.js';
import { checkFlags } from './check-flags.js';
import type { SlotRun } from './reported-slots.js';

// A slot is reported once, by a check or as missed. A process of an agent never reports a slot twice; the next process may repeat what the
// previous process had reported, if that died and the disk had lost it, was damaged, or came from a copy. Therefore only slots from before the
// first sight of a node's process are looked up; all others cost nothing.

/** Tolerance for differences in time between two replicas and PostgreSQL. */
const MARGIN = "interval '2 minutes'";

/** SQL: true if a slot due at `at` may have been reported by another process of node `n`. */
export function mayBeReported(at: string): string {
  return `coalesce(${at} < n.boot_seen_at + ${MARGIN}, false)`;
}

/** Range of slots of one monitor on one node. Milliseconds since the epoch. */
export interface SlotRange {
  readonly nodeId: string;
  readonly monitorId: string;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Slots reported within each range, by checks or as missed. */
export async function readReportedSlots(trx: Knex, ranges: readonly SlotRange[]): Promise<SlotRun[][]> {
  // literals, so that partitions of other days are never read
  const from = instantLiteral(Math.min(...ranges.map(({ firstMs }) => firstMs)));
  const to = instantLiteral(Math.max(...ranges.map(({ lastMs }) => lastMs)));
  const { rows } = await trx.raw<{ rows: { number: number; first_ms: number; last_ms: number; slots: number }[] }>(
    `SELECT r.number::int, t.*
     FROM unnest(:nodeIds::text[], :monitorIds::text[], :firsts::float8[], :lasts::float8[]) WITH ORDINALITY
       AS r(node_id, monitor_id, first_ms, last_ms, number)
     JOIN monitors m ON m.id = r.monitor_id
     JOIN nodes n ON n.id = r.node_id
     CROSS JOIN LATERAL (
       SELECT round(extract(epoch FROM c.at) * 1000)::float8 AS first_ms, round(extract(epoch FROM c.at) * 1000)::float8 AS last_ms, 1 AS slots
       FROM monitor_checks c
       WHERE c.monitor_key = m.key AND c.node_key = n.key AND c.flags & ${checkFlags.asked} = 0 AND c.at BETWEEN ${from} AND ${to}
         AND c.at BETWEEN to_timestamp(r.first_ms / 1000) AND to_timestamp(r.last_ms / 1000)
       UNION ALL
       SELECT round(extract(epoch FROM s.first_at) * 1000)::float8, round(extract(epoch FROM s.last_at) * 1000)::float8, s.slots
       FROM missed_slots s
       WHERE s.monitor_key = m.key AND s.node_key = n.key AND s.last_at >= ${from}
         AND s.last_at >= to_timestamp(r.first_ms / 1000) AND s.first_at <= to_timestamp(r.last_ms / 1000)
       OFFSET 0
     ) t`,
    {
      nodeIds: ranges.map(({ nodeId }) => nodeId),
      monitorIds: ranges.map(({ monitorId }) => monitorId),
      firsts: ranges.map(({ firstMs }) => firstMs),
      lasts: ranges.map(({ lastMs }) => lastMs),
    },
  );
  const reported = ranges.map((): SlotRun[] => []);
  for (const { number, first_ms: firstMs, last_ms: lastMs, slots } of rows)
    reported[number - 1]?.push({ firstMs, lastMs, count: slots });
  return reported;
}
