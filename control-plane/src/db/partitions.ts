import { type IdPrefix, idLowerBound, idPrefixes } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { advisoryLocks } from './advisory-locks.js';

// Tables with one partition per UTC day, month or year, bounded by instants or by ids: an id begins with the
// millisecond of its creation, so the day's first possible id is the bound, and a lookup by id alone touches one
// partition.
//
//   probe_tasks
//     probe_tasks_p20261119         for values from ('pt_<first id of 19 Nov>') to ('pt_<first id of 20 Nov>')
//     probe_tasks_p20261120         …
//   monitor_checks
//     monitor_checks_7d             for values in (7): rows that are kept for 7 days
//       monitor_checks_7d_p20261119 for values from ('2026-11-19T00:00:00Z') to ('2026-11-20T00:00:00Z')
//     monitor_checks_30d            …
//
// Adding one locks the parent against other DDL only (ATTACH), never against reads and writes. Dropping one needs the
// parent for itself: it waits at most `dropLockTimeout`, because all others queue behind a waiting DROP.

/** Period that one partition holds, in UTC. */
export type PartitionPeriod = 'day' | 'month' | 'year';

export interface PartitionedTable {
  readonly name: string;
  /** Prefix of the ids the table is partitioned by; null if it is partitioned by an instant. */
  readonly idPrefix: IdPrefix | null;
  /** Whole days kept after the period of a row is over. */
  readonly keepDays: number;
  /** Default: a day. */
  readonly period?: PartitionPeriod;
  /** Whole days before today that rows may still come of; default: one. */
  readonly daysBack?: number;
}

/**
 * Days that checks may be kept for: each is a part of monitor_checks, which a plan chooses by its number.
 * NOTE: the baseline migration makes the parts.
 */
export const checkDayClasses = [7, 30, 90, 365] as const;
export type CheckDays = (typeof checkDayClasses)[number];

/** Agents deliver up to three days of checks afterwards; older ones than this are refused. */
export const CHECK_DAYS_BACK = 4;

/** Days for which messages to alert channels are kept. */
export const ALERT_DELIVERY_DAYS = 90;

/** The one list of tables partitioned by time. */
export const partitionedTables: readonly PartitionedTable[] = [
  // tasks are readable for 7 days; a result arrives with the id of its task
  { name: 'probe_tasks', idPrefix: idPrefixes.probeTask, keepDays: 7 },
  { name: 'probe_node_tasks', idPrefix: idPrefixes.probeTask, keepDays: 7 },
  { name: 'superseded_results', idPrefix: idPrefixes.probeTask, keepDays: 7 },
  ...checkDayClasses.map((days) => monitorTable(`monitor_checks_${days}d`, 'day', days)),
  monitorTable('check_details', 'day', 30),
  monitorTable('missed_slots', 'month', 400),
  monitorTable('rollups_1m', 'day', 14),
  monitorTable('rollups_15m', 'day', 90),
  monitorTable('rollups_1h', 'month', 400),
  monitorTable('rollups_1d', 'year', 5 * 366),
  { name: 'heartbeat_pings', idPrefix: null, period: 'day', keepDays: 30 },
  // an event is kept until the last attempt at a delivery that repeats it on its last day
  { name: 'webhook_events', idPrefix: idPrefixes.event, keepDays: 41 },
  { name: 'webhook_deliveries', idPrefix: idPrefixes.webhookDelivery, keepDays: 30 },
  { name: 'alert_deliveries', idPrefix: idPrefixes.alertDelivery, keepDays: ALERT_DELIVERY_DAYS },
  // an ICP filing stands in for a newer one for 30 days after its day of freshness
  { name: 'lookup_answers', idPrefix: null, keepDays: 31 },
  { name: 'diagnose_reports', idPrefix: idPrefixes.diagnoseReport, keepDays: 30 },
];

function monitorTable(name: string, period: PartitionPeriod, keepDays: number): PartitionedTable {
  return { name, idPrefix: null, period, keepDays, daysBack: CHECK_DAYS_BACK };
}

const dayMs = 86_400_000;
const daysAhead = 3;
const dropLockTimeout = '200ms';

/**
 * Creates the missing partitions from yesterday, or the earliest day that still gets rows, to three days ahead of
 * `nowMs`. Safe from any number of processes at once. Resolves with the names of those created by this call.
 */
export async function ensurePartitions(
  db: Knex,
  nowMs: number,
  tables: readonly PartitionedTable[] = partitionedTables,
): Promise<string[]> {
  const made: string[] = [];
  const present = await listPartitions(db, tables);
  for (const table of tables) {
    if (missingPeriods(table, present, nowMs).length === 0) continue;
    made.push(...(await db.transaction((trx) => addMissing(trx, table, nowMs))));
  }
  return made;
}

/**
 * Drops the partitions whose whole period ended more than `keepDays` days before `nowMs`. One that is in use is left
 * for the next call. Resolves with the names of those dropped.
 */
export async function dropPartitions(
  db: Knex,
  nowMs: number,
  tables: readonly PartitionedTable[] = partitionedTables,
): Promise<string[]> {
  const dropped: string[] = [];
  const present = await listPartitions(db, tables);
  for (const table of tables) {
    for (const { name, startMs } of present.get(table.name) ?? []) {
      if (nextPeriod(table.period, startMs) + table.keepDays * dayMs > nowMs) continue;
      if (await dropOne(db, name)) dropped.push(name);
    }
  }
  return dropped;
}

/** `probe_tasks_p20261120`, `missed_slots_p202611`, `rollups_1d_p2026`: the partition that contains `instantMs`. */
export function partitionName({ name, period }: Pick<PartitionedTable, 'name' | 'period'>, instantMs: number): string {
  const digits = { day: 8, month: 6, year: 4 }[period ?? 'day'];
  return `${name}_p${new Date(instantMs).toISOString().slice(0, 10).replaceAll('-', '').slice(0, digits)}`;
}

async function addMissing(trx: Knex.Transaction, table: PartitionedTable, nowMs: number): Promise<string[]> {
  await trx.raw('select pg_advisory_xact_lock(?)', [advisoryLocks.partitions]);
  const made: string[] = [];
  const present = await listPartitions(trx, [table]);
  for (const startMs of missingPeriods(table, present, nowMs)) {
    const name = partitionName(table, startMs);
    // created separately and attached: CREATE TABLE … PARTITION OF would lock the parent exclusively
    await trx.raw('create table ?? (like ?? including all excluding indexes)', [name, table.name]);
    // DDL takes no parameters; ids and instants have no characters that need quoting
    const [from, to] = [startMs, nextPeriod(table.period, startMs)].map((bound) => boundOf(table, bound));
    await trx.raw(`alter table ?? attach partition ?? for values from ('${from}') to ('${to}')`, [table.name, name]);
    made.push(name);
  }
  return made;
}

function boundOf({ idPrefix }: PartitionedTable, instantMs: number): string {
  return idPrefix === null ? new Date(instantMs).toISOString() : idLowerBound(idPrefix, instantMs);
}

function startOfPeriod(period: PartitionPeriod = 'day', instantMs: number): number {
  const at = new Date(instantMs);
  if (period === 'day') return Math.floor(instantMs / dayMs) * dayMs;
  return Date.UTC(at.getUTCFullYear(), period === 'month' ? at.getUTCMonth() : 0, 1);
}

function nextPeriod(period: PartitionPeriod = 'day', startMs: number): number {
  const at = new Date(startMs);
  if (period === 'day') return startMs + dayMs;
  return period === 'month'
    ? Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1)
    : Date.UTC(at.getUTCFullYear() + 1, 0, 1);
}

interface Partition {
  readonly name: string;
  readonly startMs: number;
}

/** Partitions by the name of their table. */
type Partitions = ReadonlyMap<string, readonly Partition[]>;

function missingPeriods(table: PartitionedTable, present: Partitions, nowMs: number): number[] {
  const names = new Set(present.get(table.name)?.map(({ name }) => name));
  const lastMs = nowMs + daysAhead * dayMs;
  const starts: number[] = [];
  let startMs = startOfPeriod(table.period, nowMs - (table.daysBack ?? 1) * dayMs);
  for (; startMs <= lastMs; startMs = nextPeriod(table.period, startMs)) starts.push(startMs);
  return starts.filter((start) => !names.has(partitionName(table, start)));
}

async function listPartitions(db: Knex, tables: readonly PartitionedTable[]): Promise<Partitions> {
  const { rows } = await db.raw<{ rows: { parent: string; name: string }[] }>(
    `select parent, child.relname as name from unnest(?::text[]) as parent
     join pg_inherits on inhparent = to_regclass(parent) join pg_class child on child.oid = inhrelid
     order by child.relname`,
    [tables.map(({ name }) => name)],
  );
  const partitions = new Map<string, Partition[]>(tables.map(({ name }) => [name, []]));
  for (const { parent, name } of rows) {
    const [, year, month = '01', day = '01'] = /_p(\d{4})(\d{2})?(\d{2})?$/.exec(name) ?? [];
    if (year === undefined) continue;
    partitions.get(parent)?.push({ name, startMs: Date.UTC(Number(year), Number(month) - 1, Number(day)) });
  }
  return partitions;
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
