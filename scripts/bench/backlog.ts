import { type IdPrefix, idLowerBound } from '@vantage/shared/ids.js';
import type pg from 'pg';
import type { BenchDatabase } from './bench-database.js';
import type { LinkRow } from './link/comparison.js';
import type { LoadClient } from './load.js';
import { sized } from './sized.js';
import { quantile } from './statistics.js';

// Rows of tables that are partitioned by id, made by PostgreSQL itself. An id is the beginning of those of an instant, which its first
// eight characters tell to some milliseconds, and the number of the row:
//
//   whd_1FZ3ybQX 123456789A1234
//        stem        number, 0 to 9 written as the digits 1 to A, since there is no 0

const STEM_LENGTH = 8;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const PAGES = 200;
const CLAIMS = sized(200, 3);

/** SQL of the id of row `n`, of which `stem` is the beginning. */
export const ID = `stem || translate(lpad(n::text, 14, '0'), '0123456789', '123456789A')`;

/** Beginnings of the ids of each hour from `days` ago until `untilDays` ago. */
export function stemsOf(prefix: IdPrefix, days: number, untilDays: number): string[] {
  const stems: string[] = [];
  // a minute later than the day begins, for the rest of an id may be smaller than that of its bound
  const nowMs = Math.floor(Date.now() / DAY_MS) * DAY_MS + 60_000;
  for (let atMs = nowMs - days * DAY_MS; atMs < nowMs - untilDays * DAY_MS; atMs += HOUR_MS)
    stems.push(idLowerBound(prefix, atMs).slice(0, prefix.length + STEM_LENGTH));
  return stems;
}

/** Runs a statement however long it takes. */
export async function fill(database: pg.Pool, statement: string, values: readonly unknown[]): Promise<void> {
  const client = await database.connect();
  try {
    await client.query('SET statement_timeout = 0');
    await client.query("SET maintenance_work_mem = '1GB'");
    await client.query(statement, [...values]);
  } finally {
    client.release(true);
  }
}

/** Durations of claims, each rolled back; `prepare` is not counted, and done once, so that it leaves no dead rows for each claim. */
export async function timeClaims(
  db: BenchDatabase,
  claim: (trx: BenchDatabase) => Promise<unknown>,
  prepare: (trx: BenchDatabase) => Promise<unknown>,
): Promise<LinkRow[]> {
  const times: number[] = [];
  const prepared = await db.transaction();
  try {
    await prepare(prepared);
    for (let n = 0; n < CLAIMS; n += 1) {
      const trx = await prepared.transaction();
      try {
        const startedMs = performance.now();
        await claim(trx);
        times.push(performance.now() - startedMs);
      } finally {
        await trx.rollback();
      }
    }
  } finally {
    await prepared.rollback();
  }
  return [0.5, 0.95].map((ratio) =>
    row(`a claim, p${ratio * 100}, ms`, quantile(times, ratio).toFixed(1), 'at most 10'),
  );
}

/** Duration of the first page of a log, one after another. */
export async function timePage(client: LoadClient, what: string, path: string): Promise<LinkRow> {
  const times: number[] = [];
  for (let n = 0; n < PAGES; n += 1) {
    const startedMs = performance.now();
    await client.get(path);
    times.push(performance.now() - startedMs);
  }
  return row(`${what}, p95, ms`, quantile(times, 0.95).toFixed(1), 'at most 50');
}

function row(what: string, ours: string, goal: string): LinkRow {
  return { what, ours, baseline: '', ratio: '', goal };
}
