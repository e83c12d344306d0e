import type { Knex } from 'knex';
import { Batcher } from './batcher.js';
import { type PreparedStatement, queryPrepared } from './prepared.js';

const KEYS_AT_ONCE = 256;

/** Row as it is read, with its key in addition to the columns of R. */
interface KeyedRow {
  readonly key: string;
}

const batchers = new WeakMap<Knex, Map<string, Batcher<string, KeyedRow | null>>>();

/**
 * Row with a key, or null. The statement reads one row at most for each key of the array `$1`, and its column `key` is the key. Calls of
 * the same turn, and those made while the statement runs, share one statement: its round trip costs several times what it reads. In a
 * transaction it runs at once.
 */
export async function findRow<R extends object>(
  db: Knex,
  statement: PreparedStatement,
  key: string,
): Promise<R | null> {
  if (db.isTransaction !== true) return (await batcherOf(db, statement).add(key)) as R | null;
  const [row] = await queryPrepared<R>(db, statement, [[key]]);
  return row ?? null;
}

function batcherOf(db: Knex, statement: PreparedStatement): Batcher<string, KeyedRow | null> {
  const byName = batchers.get(db) ?? new Map<string, Batcher<string, KeyedRow | null>>();
  batchers.set(db, byName);
  const known = byName.get(statement.name);
  if (known !== undefined) return known;
  const batcher = new Batcher<string, KeyedRow | null>({
    maxItems: KEYS_AT_ONCE,
    async flush(keys) {
      const rows = await queryPrepared<KeyedRow>(db, statement, [[...new Set(keys)]]);
      const byKey = new Map(rows.map((row) => [row.key, row]));
      return keys.map((key) => byKey.get(key) ?? null);
    },
  });
  byName.set(statement.name, batcher);
  return batcher;
}
