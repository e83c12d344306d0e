import type { Knex } from 'knex';
import type { Interval } from './uptime.js';

/** What uptimes are made of, by monitor. */
export interface Episodes {
  /** Events of type down that nobody called a false positive, and no late results deny. */
  readonly downs: readonly Interval[];
  readonly pauses: readonly Interval[];
}

/** Episodes of monitors that touch a range; what lasts ends with it. */
export async function readEpisodes(
  db: Knex,
  monitorIds: readonly string[],
  { fromMs, toMs }: Interval,
): Promise<ReadonlyMap<string, Episodes>> {
  const found = new Map(monitorIds.map((id) => [id, { downs: [] as Interval[], pauses: [] as Interval[] }]));
  if (found.size === 0) return found;
  const { rows } = await db.raw<{
    rows: { kind: 'downs' | 'pauses'; monitor_id: string; from_at: Date; to_at: Date | null }[];
  }>(
    `SELECT 'downs' AS kind, monitor_id, started_at AS from_at, ended_at AS to_at FROM monitor_events
     WHERE monitor_id = ANY(:ids) AND type = 'down' AND NOT is_false_positive AND NOT disputed
       AND started_at < :to AND coalesce(ended_at, 'infinity') > :from
     UNION ALL
     SELECT 'pauses', monitor_id, from_at, to_at FROM monitor_pauses
     WHERE monitor_id = ANY(:ids) AND from_at < :to AND coalesce(to_at, 'infinity') > :from`,
    { ids: [...found.keys()], from: new Date(fromMs), to: new Date(toMs) },
  );
  for (const { kind, monitor_id, from_at, to_at } of rows) {
    found.get(monitor_id)?.[kind].push({ fromMs: from_at.getTime(), toMs: to_at?.getTime() ?? toMs });
  }
  return found;
}
