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

/** Episodes with those in which the monitor was degraded, which are neither false positives nor disputed. */
export interface AllEpisodes extends Episodes {
  readonly degradations: readonly Interval[];
}

/** An event with the types it had before, or a pause, which has none; milliseconds since the epoch. */
interface Episode {
  readonly type: EventType | null;
  readonly from_ms: number;
  readonly to_ms: number | null;
  readonly earlier: readonly EarlierType[] | null;
}

interface EpisodeRow extends Episode {
  readonly monitor_id: string;
}

/**
 * Episodes in a row of a list, one in each line: type, begin, end and earlier types, with a space between them; all of a monitor,
 * if they are at most `MAX_LISTED`. Null if there is none. As JSON, they take PostgreSQL twice as long.
 */
export type ListedEpisodes = string | null;

/** Greatest number of episodes in a row, because reading a row cannot be divided into slices. */
const MAX_LISTED = 100;

/** SQL: milliseconds since the epoch. A list has hundreds of them, and reading a date takes ten times as long as reading a number. */
const msOf = (column: string) => `date_part('epoch', ${column}) * 1000`;

const WAS_DOWN = `(type = 'down' OR earlier_types <> '[]')`;

/** SQL of the episodes of monitors that touch a range between two places. `which`: condition on events. */
const episodesOf = (isOfMonitors: string, from: string, to: string, which = WAS_DOWN) => `
  SELECT type, monitor_id, ${msOf('started_at')} AS from_ms, ${msOf('ended_at')} AS to_ms, nullif(earlier_types, '[]') AS earlier FROM monitor_events
  WHERE ${isOfMonitors} AND ${which} AND NOT is_false_positive AND NOT disputed
    AND started_at < ${to}::timestamptz AND coalesce(ended_at, 'infinity') > ${from}::timestamptz
  UNION ALL
  SELECT NULL, monitor_id, ${msOf('from_at')}, ${msOf('to_at')}, NULL FROM monitor_pauses
  WHERE ${isOfMonitors} AND from_at < ${to}::timestamptz AND coalesce(to_at, 'infinity') > ${from}::timestamptz`;

const EPISODES: PreparedStatement = {
  name: 'monitor-episodes',
  text: `${episodesOf('monitor_id = ANY($1::text[])', '$2', '$3')} ORDER BY from_ms`,
};

const ALL_EPISODES: PreparedStatement = {
  name: 'monitor-all-episodes',
  text: `${episodesOf('monitor_id = ANY($1::text[])', '$2', '$3', 'true')} ORDER BY from_ms`,
};

/** SQL of `ListedEpisodes` of a monitor `m` between two places. */
export function listedEpisodes(from: string, to: string): string {
  const episodes = `${episodesOf('monitor_id = m.id', from, to)} LIMIT ${MAX_LISTED + 1}`;
  const line = ['type', 'from_ms', 'to_ms', 'earlier']
    .map((column) => `coalesce(${column}::text, '')`)
    .join(` || ' ' || `);
  return `(SELECT string_agg(${line}, E'\\n') FROM (${episodes}) AS episodes)`;
}

/** Episodes of a row of a list, up to the end of its range; null if there are more than a row has. */
export function fromListed(listed: ListedEpisodes, toMs: number): Episodes | null {
  const lines = listed === null ? [] : listed.split('\n');
  if (lines.length > MAX_LISTED) return null;
  const found = noEpisodes();
  for (const line of lines) add(found, episodeOf(line), toMs);
  return found;
}

function episodeOf(line: string): Episode {
  // earlier types may contain spaces
  const [type, from, to, ...earlier] = line.split(' ');
  return {
    type: type === '' ? null : (type as EventType),
    from_ms: Number(from),
    to_ms: to === '' ? null : Number(to),
    earlier: earlier[0] === '' ? null : JSON.parse(earlier.join(' ')),
  };
}

/** Episodes of monitors that touch a range, in order; one that lasts ends with the range. */
export function readEpisodes(
  db: Knex,
  monitorIds: readonly string[],
  range: Interval,
): Promise<ReadonlyMap<string, Episodes>> {
  return read(db, EPISODES, monitorIds, range);
}

/** As `readEpisodes`, with those in which a monitor was degraded. */
export function readAllEpisodes(
  db: Knex,
  monitorIds: readonly string[],
  range: Interval,
): Promise<ReadonlyMap<string, AllEpisodes>> {
  return read(db, ALL_EPISODES, monitorIds, range);
}

async function read(
  db: Knex,
  statement: PreparedStatement,
  monitorIds: readonly string[],
  { fromMs, toMs }: Interval,
): Promise<ReadonlyMap<string, AllEpisodes>> {
  const found = new Map(monitorIds.map((id) => [id, noEpisodes()]));
  if (found.size === 0) return found;
  const rows = await queryPrepared<EpisodeRow>(db, statement, [[...found.keys()], new Date(fromMs), new Date(toMs)]);
  const slices = new Slices();
  for (const row of rows) {
    // a target that its owner has go up and down every minute makes half a million of them in a year
    const turn = slices.spend(1);
    if (turn !== null) await turn;
    add(found.get(row.monitor_id) ?? noEpisodes(), row, toMs);
  }
  return found;
}

function noEpisodes(): { downs: Interval[]; degradations: Interval[]; pauses: Interval[] } {
  return { downs: [], degradations: [], pauses: [] };
}

function add(to: ReturnType<typeof noEpisodes>, { type, from_ms, to_ms, earlier }: Episode, toMs: number): void {
  const span = { fromMs: Math.round(from_ms), toMs: to_ms === null ? toMs : Math.round(to_ms) };
  if (type === null) to.pauses.push(span);
  else if (earlier === null) listOf(to, type).push(span);
  else {
    const phases = phasesOf({ type, startedAtMs: span.fromMs, endedAtMs: span.toMs, earlier });
    for (const phase of phases)
      listOf(to, phase.type).push({ fromMs: phase.startedAtMs, toMs: phase.endedAtMs ?? toMs });
  }
}

function listOf({ downs, degradations }: ReturnType<typeof noEpisodes>, type: EventType): Interval[] {
  return type === 'down' ? downs : degradations;
}
