import { delay, systemClock } from '@vantage/shared/clock.js';
import { buildOnTable, findValidity, type RunStatement } from './build-table-index.js';

// PostgreSQL builds no index of a partitioned table concurrently. So:
//
//   1. CREATE INDEX … ON ONLY parent          at once: it has no rows; invalid until every partition has its part
//   2. CREATE INDEX CONCURRENTLY … ON each    while others write
//   3. ALTER INDEX … ATTACH PARTITION each    the last one makes the parent's valid
//
// A partition that is attached meanwhile gets its part by PostgreSQL, one that is dropped takes it along. Killed anywhere,
// a second attempt goes on: parts that are attached stay, unfinished ones are dropped and built again.

/** Index of a partitioned table. */
export interface PartitionedIndex {
  readonly name: string;
  readonly table: string;
  /** Columns and condition, as behind the name of the table. */
  readonly columns: string;
  readonly isUnique?: true;
}

/** Longest name that PostgreSQL keeps whole. */
const NAME_LENGTH = 63;
/** Time that a lock is waited for, since all others wait behind it. */
const LOCK_TIMEOUT = '500ms';
const RETRY_MS = 100;
const UNDEFINED_TABLE = '42P01';
const LOCK_NOT_AVAILABLE = '55P03';

/** Builds an index on a partitioned table, partition after partition, and those of parts that are partitioned. */
export async function buildOnPartitions(run: RunStatement, index: PartitionedIndex): Promise<void> {
  const { name, table, columns, isUnique } = index;
  if ((await findValidity(run, name)) === null)
    await patiently(run, `CREATE ${isUnique === true ? 'UNIQUE ' : ''}INDEX ${name} ON ONLY ${table} ${columns}`);
  // again for partitions that came meanwhile
  while ((await findValidity(run, name)) === false) {
    for (const partition of await listParts(run, index)) await buildPart(run, index, partition);
  }
}

interface Part {
  readonly table: string;
  readonly isPartitioned: boolean;
  /** Index that is attached already, or null. */
  readonly attached: string | null;
}

async function listParts(run: RunStatement, { name, table }: PartitionedIndex): Promise<Part[]> {
  const { rows } = await run(
    `SELECT child.relname AS table, child.relkind = 'p' AS is_partitioned, part.relname AS attached
     FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
     LEFT JOIN (pg_index i JOIN pg_class part ON part.oid = i.indexrelid
       JOIN pg_inherits inner_parts ON inner_parts.inhrelid = i.indexrelid AND inner_parts.inhparent = '${name}'::regclass)
       ON i.indrelid = child.oid
     WHERE pg_inherits.inhparent = '${table}'::regclass ORDER BY child.relname`,
  );
  return rows.map((row) => ({
    table: String(row['table']),
    isPartitioned: row['is_partitioned'] === true,
    attached: row['attached'] === null ? null : String(row['attached']),
  }));
}

async function buildPart(run: RunStatement, index: PartitionedIndex, part: Part): Promise<void> {
  const name = part.attached ?? nameOfPart(index, part.table);
  try {
    if (part.isPartitioned) await buildOnPartitions(run, { ...index, name, table: part.table });
    else if (part.attached === null) {
      const { columns, isUnique } = index;
      await buildOnTable(run, { name, on: `${part.table} ${columns}`, ...(isUnique === true ? { isUnique } : {}) });
    }
    if (part.attached === null) await patiently(run, `ALTER INDEX ${index.name} ATTACH PARTITION ${name}`);
  } catch (error) {
    // dropped meanwhile, when its days were over
    if (codeOf(error) !== UNDEFINED_TABLE) throw error;
  }
}

/** `INDEX_p20261119`, cut where it would be too long. */
function nameOfPart({ name, table }: PartitionedIndex, part: string): string {
  const end = part.startsWith(`${table}_`) ? part.slice(table.length) : `_${part}`;
  return `${name.slice(0, NAME_LENGTH - end.length)}${end}`;
}

/** Runs a statement that needs a lock for a moment: all others would wait behind it if it waited. */
async function patiently(run: RunStatement, sql: string): Promise<void> {
  await run(`SET lock_timeout = '${LOCK_TIMEOUT}'`);
  try {
    while (!(await gotLock(run, sql))) await delay(systemClock, RETRY_MS);
  } finally {
    await run('RESET lock_timeout').catch(() => {});
  }
}

async function gotLock(run: RunStatement, sql: string): Promise<boolean> {
  try {
    await run(sql);
    return true;
  } catch (error) {
    if (codeOf(error) === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
