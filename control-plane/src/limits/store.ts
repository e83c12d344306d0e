import type { Knex } from 'knex';
import { queryWithin } from '../db/prepared.js';
import type { Ask, Taken } from './tally.js';

// The row of a key is that of its newest window. A replica whose clock is behind gets the rest of that window; a row
// further ahead than the next window was written by a wrong clock and is reset. RETURNING shows rows as they are after
// the statement: the granted amount has to be one of their columns.
const TAKE = {
  name: 'limits-take',
  text: `
  WITH asked AS (
    SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::timestamptz[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
      AS a(key, starts, ends, most, size, count, owed)
  )
  INSERT INTO rate_windows AS w (key, window_start, window_end, used, granted)
  SELECT key, starts, ends, before + granted * size, granted
  FROM asked,
    LATERAL (SELECT greatest(0, owed) AS before) b,
    LATERAL (SELECT greatest(0, least(count, (most - before) / size)) AS granted) g
  -- every replica locks rows in one order
  ORDER BY key
  ON CONFLICT (key) DO UPDATE SET (window_start, window_end, used, granted) = (
    SELECT coalesce(running.starts, asked.starts), coalesce(running.ends, asked.ends), before + granted * size, granted
    FROM asked
      LEFT JOIN LATERAL (SELECT w.window_start AS starts, w.window_end AS ends, w.used) running
        ON running.ends > asked.starts AND running.starts <= asked.ends,
      LATERAL (SELECT CASE WHEN coalesce(running.starts = asked.starts, true) THEN owed ELSE 0 END AS debt) d,
      LATERAL (SELECT greatest(0, coalesce(running.used, 0) + debt) AS before) b,
      LATERAL (SELECT greatest(0, least(count, (most - before) / size)) AS granted) g
    WHERE asked.key = excluded.key
  )
  RETURNING key, window_start, window_end, used, granted`,
};

interface WindowRow {
  readonly key: string;
  readonly window_start: Date;
  readonly window_end: Date;
  readonly used: number;
  readonly granted: number;
}

/** Takes from windows whose keys all differ; answers in the order of the asks. Gives up when aborted. */
export async function takeFromWindows(db: Knex, asks: readonly Ask[], signal: AbortSignal): Promise<Taken[]> {
  const values = [
    asks.map(({ key }) => key),
    asks.map(({ startsAt }) => new Date(startsAt)),
    asks.map(({ endsAt }) => new Date(endsAt)),
    asks.map(({ most }) => most),
    asks.map(({ size }) => size),
    asks.map(({ count }) => count),
    asks.map(({ owed }) => owed),
  ];
  const rows = await queryWithin<WindowRow>(db, { ...TAKE, values }, signal);
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return asks.map(({ key }) => toTaken(byKey.get(key) as WindowRow));
}

function toTaken({ window_start, window_end, used, granted }: WindowRow): Taken {
  return { startsAt: window_start.getTime(), endsAt: window_end.getTime(), used, granted };
}

const KEPT_MS = 3_600_000;
const ROWS_PER_DELETE = 5_000;

/** Forgets windows that ended over an hour before `nowMs`: there may be replicas whose clocks are behind. */
export async function deleteEndedWindows(db: Knex, nowMs: number): Promise<void> {
  const before = new Date(nowMs - KEPT_MS);
  // few at a time, and never waiting for a row: requests wait for these locks
  for (let deleted = ROWS_PER_DELETE; deleted === ROWS_PER_DELETE; ) {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `DELETE FROM rate_windows WHERE key = ANY(ARRAY(
         SELECT key FROM rate_windows WHERE window_end < ? LIMIT ? FOR UPDATE SKIP LOCKED
       ))`,
      [before, ROWS_PER_DELETE],
    );
    deleted = rowCount;
  }
}
