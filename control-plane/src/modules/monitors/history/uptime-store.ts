import type { Knex } from 'knex';
import { type PreparedStatement, queryPrepared } from '../../../db/prepared.js';
import { Slices } from '../../../runtime/slices.js';
import type { EventType } from '../definition/event-type.js';
import type { Interval } from '../definition/interval.js';
import { type EarlierType, phasesOf } from '../events/event-phases.js';

/** Intervals that the uptime of a monitor is computed from. */
export interface Episodes {
  /** Events of type down that are neither marked as false positives nor disputed by late results. */
  readonly downs: readonly Interval[];
  readonly pauses: readonly Interval[];
}

interface EpisodeRow {
  readonly type: EventType | null;
  readonly monitor_id: string;
  readonly from_ms: number;
  readonly to_ms: number | null;
  readonly earlier: readonly EarlierType[] | null;
}

/** SQL: milliseconds since the epoch. A list has hundreds of them, and reading a date takes ten times as long as reading a number. */
const msOf = (column: string) => `date_part('epoch', ${column}) * 1000`;

const EPISODES: PreparedStatement = {
  name: 'monitor-episodes',
  text: `SELECT type, monitor_id, ${msOf('started_at')} AS from_ms, ${msOf('ended_at')} AS to_ms, nullif(earlier_types, '[]') AS earlier FROM monitor_events
     WHERE monitor_id = ANY($1::text[]) AND (type = 'down' OR earlier_types <> '[]') AND NOT is_false_positive AND NOT disputed
       AND started_at < $3::timestamptz AND coalesce(ended_at, 'infinity') > $2::timestamptz
     UNION ALL
     SELECT NULL, monitor_id, ${msOf('from_at')}, ${msOf('to_at')}, NULL FROM monitor_pauses
     WHERE monitor_id = ANY($1::text[]) AND from_at < $3::timestamptz AND coalesce(to_at, 'infinity') > $2::timestamptz
     ORDER BY from_ms`,
};

/** Episodes of monitors that touch a range, in order; one that lasts ends with the range. */
export async function readEpisodes(
  db: Knex,
  monitorIds: readonly string[],
  { fromMs, toMs }: Interval,
): Promise<ReadonlyMap<string, Episodes>> {
  const found = new Map(monitorIds.map((id) => [id, { downs: [] as Interval[], pauses: [] as Interval[] }]));
  if (found.size === 0) return found;
  const rows = await queryPrepared<EpisodeRow>(db, EPISODES, [[...found.keys()], new Date(fromMs), new Date(toMs)]);
  const slices = new Slices();
  for (const { type, monitor_id, from_ms, to_ms, earlier } of rows) {
    // a target that its owner has go up and down every minute makes half a million of them in a year
    const turn = slices.spend(1);
    if (turn !== null) await turn;
    const span = { fromMs: Math.round(from_ms), toMs: to_ms === null ? toMs : Math.round(to_ms) };
    if (type === null) found.get(monitor_id)?.pauses.push(span);
    else if (earlier === null) found.get(monitor_id)?.downs.push(span);
    else found.get(monitor_id)?.downs.push(...downsOf(type, earlier, span));
  }
  return found;
}

/** Intervals in which an event of several types was of type down. */
function downsOf(type: EventType, earlier: readonly EarlierType[], { fromMs, toMs }: Interval): Interval[] {
  const phases = phasesOf({ type, startedAtMs: fromMs, endedAtMs: toMs, earlier });
  return phases.flatMap((phase) =>
    phase.type === 'down' ? [{ fromMs: phase.startedAtMs, toMs: phase.endedAtMs ?? toMs }] : [],
  );
}
