import { type IdPrefix, idLowerBound, idPrefixes } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { advisoryLocks } from './advisory-locks.js';

// Tables with one partition per UTC day, bounded by instants or by ids: an id begins with the millisecond it was made at,
// so the day's first possible id is the bound, and a lookup by id alone touches one partition.
//
//   probe_tasks
//     probe_tasks_p20261119      for values from ('pt_<first id of 19 Nov>') to ('pt_<first id of 20 Nov>')
//     probe_tasks_p20261120      …
//   monitor_checks
//     monitor_checks_p20261119   for values from ('2026-11-19T00:00:00Z') to ('2026-11-20T00:00:00Z')
//
// Adding one locks the parent against other DDL only (ATTACH), never against reads and writes. Dropping one needs the
// parent for itself: it waits at most `dropLockTimeout`, because everybody else queues behind a waiting DROP.

export interface PartitionedTable {
  readonly name: string;
  /** Prefix of the ids the table is partitioned by; null: by an instant. */
  readonly idPrefix: IdPrefix | null;
  /** Whole days kept after the day of a row is over. */
  readonly keepDays: number;
  /** Whole days before today that rows may still come of; default: one. */
  readonly daysBack?: number;
}

/** The one list of tables partitioned by day. */
export const partitionedTables: readonly PartitionedTable[] = [
  // tasks are readable for 7 days; a result arrives with the id of its task
  { name: 'probe_tasks', idPrefix: idPrefixes.probeTask, keepDays: 7 },
  { name: 'probe_node_tasks', idPrefix: idPrefixes.probeTask, keepDays: 7 },
  { name: 'superseded_results', idPrefix: idPrefixes.probeTask, keepDays: 7 },
  // agents deliver up to three days of checks afterwards
  { name: 'monitor_checks', idPrefix: null, keepDays: 90, daysBack: 4 },
  { name: 'heartbeat_pings', idPrefix: null, keepDays: 30 },
];

const dayMs = 86_400_000;
const daysAhead = 3;
const dropLockTimeout = '200ms';

/**
 * Makes the partitions from yesterday to three days ahead of `nowMs` that are missing. Safe from any number of
 * processes at once. Resolves with the names made by this call.
 */
export async function ensurePartitions(
  db: Knex,
  nowMs: number,
  tables: readonly PartitionedTable[] = partitionedTables,
): Promise<string[]> {
  const made: string[] = [];
  for (const table of tables) {
    if ((await missingDays(db, table, nowMs)).length === 0) continue;
    made.push(...(await db.transaction((trx) => addMissing(trx, table, nowMs))));
  }
  return made;
}

/**
 * Drops the partitions whose whole day ended more than `keepDays` days before `nowMs`. One that is in use just then
 * is left for the next call. Resolves with the names dropped.
 */
export async function dropPartitions(
  db: Knex,
  nowMs: number,
  tables: readonly PartitionedTable[] = partitionedTables,
): Promise<string[]> {
  const dropped: string[] = [];
  for (const table of tables) {
    for (const { name, dayStartMs } of await listPartitions(db, table)) {
      if (dayStartMs + dayMs + table.keepDays * dayMs > nowMs) continue;
      if (await dropOne(db, name)) dropped.push(name);
    }
  }
  return dropped;
}

/** `probe_tasks_p20261120`: the partition of the UTC day that contains `instantMs`. */
export function partitionName(table: string, instantMs: number): string {
  return `${table}_p${new Date(instantMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

async function addMissing(trx: Knex.Transaction, table: PartitionedTable, nowMs: number): Promise<string[]> {
  await trx.raw('select pg_advisory_xact_lock(?)', [advisoryLocks.partitions]);
  const made: string[] = [];
  for (const dayStartMs of await missingDays(trx, table, nowMs)) {
    const name = partitionName(table.name, dayStartMs);
    // made apart and attached: CREATE TABLE … PARTITION OF would lock the parent against everything
    await trx.raw('create table ?? (like ?? including all excluding indexes)', [name, table.name]);
    // DDL takes no parameters; neither ids nor instants have characters that would need quoting
    const [from, to] = [dayStartMs, dayStartMs + dayMs].map((bound) => boundOf(table, bound));
    await trx.raw(`alter table ?? attach partition ?? for values from ('${from}') to ('${to}')`, [table.name, name]);
    made.push(name);
  }
  return made;
}

function boundOf({ idPrefix }: PartitionedTable, instantMs: number): string {
  return idPrefix === null ? new Date(instantMs).toISOString() : idLowerBound(idPrefix, instantMs);
}

async function missingDays(db: Knex, table: PartitionedTable, nowMs: number): Promise<number[]> {
  const present = new Set((await listPartitions(db, table)).map(({ name }) => name));
  const todayMs = Math.floor(nowMs / dayMs) * dayMs;
  const days: number[] = [];
  for (let offset = -(table.daysBack ?? 1); offset <= daysAhead; offset++) days.push(todayMs + offset * dayMs);
  return days.filter((dayStartMs) => !present.has(partitionName(table.name, dayStartMs)));
}

async function listPartitions(db: Knex, table: PartitionedTable): Promise<{ name: string; dayStartMs: number }[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid
     where inhparent = to_regclass(?) order by child.relname`,
    [table.name],
  );
  return rows.flatMap(({ name }) => {
    const day = /_p(\d{4})(\d{2})(\d{2})$/.exec(name);
    return day === null ? [] : [{ name, dayStartMs: Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3])) }];
  });
}

async function dropOne(db: Knex, name: string): Promise<boolean> {
  try {
    await db.transaction(async (trx) => {
      await trx.raw(`set local lock_timeout = '${dropLockTimeout}'`);
      await trx.raw('drop table if exists ??', [name]);
    });
    return true;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}
