import type { Knex } from 'knex';
import { buildIndex, buildIndexOfEmpty } from './build-index.js';
import { lockMigrations } from './lock-migrations.js';
import { type Migration, migrations as ownMigrations } from './migrations/index.js';

// One transaction per migration, and in each of them first the advisory lock. Of N replicas that start together, one
// migrates and the others wait, check again and find nothing left. A crash rolls back to the state between two
// migrations and releases the lock with the connection, so nothing can get stuck.

/** The database was migrated by a newer version of this program, whose tables this one does not know. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
  constructor(readonly unknown: readonly string[]) {
    super(
      `the database has migrations this version does not know (${unknown.map((name) => `"${name}"`).join(', ')}): ` +
        'it was used by a newer version; run that version or restore a backup',
    );
  }
}

/** Part of a pino logger that migration uses. */
export interface MigrationLog {
  info(fields: object, message: string): void;
}

/**
 * Brings the database to this version, forward only; safe from any number of processes at once. Resolves with the
 * names applied by this call, in order. @throws NewerDatabaseError
 */
export async function migrate(
  db: Knex,
  log: MigrationLog,
  migrations: readonly Migration[] = ownMigrations,
): Promise<string[]> {
  const applied: string[] = [];
  // the lock may be held for long by a backup, which a process that migrates nothing does not wait for
  if ((await pendingMigrations(db, migrations)).length === 0) return applied;
  for (;;) {
    const name = await db.transaction((trx) => applyNext(trx, db, migrations));
    if (name === null) return applied;
    log.info({ migration: name }, 'database migrated');
    applied.push(name);
  }
}

/** Names this version would still apply, in order; reads only. @throws NewerDatabaseError */
export async function pendingMigrations(db: Knex, migrations: readonly Migration[] = ownMigrations): Promise<string[]> {
  const { rows } = await db.raw("select to_regclass('schema_migrations') is not null as exists");
  const done = rows[0].exists ? await appliedNames(db) : new Set<string>();
  return planMigrations(migrations, done).map(({ name }) => name);
}

/**
 * Applies the named migrations inside of a transaction, whose caller holds the lock: the tables that a database had at
 * another time. @throws NewerDatabaseError
 */
export async function applyWithin(
  trx: Knex.Transaction,
  names: readonly string[],
  migrations: readonly Migration[] = ownMigrations,
): Promise<void> {
  const wanted = new Set(names);
  planMigrations(migrations, wanted);
  await createList(trx);
  for (const { name, up, indexes = [] } of migrations.filter((migration) => wanted.has(migration.name))) {
    await up?.(trx);
    for (const index of indexes) await buildIndexOfEmpty(trx, index);
    await trx.raw('insert into schema_migrations (name) values (?)', [name]);
  }
}

async function applyNext(trx: Knex.Transaction, db: Knex, migrations: readonly Migration[]): Promise<string | null> {
  // waiting for the lock and building an index may both take longer than any other statement
  await trx.raw('set local statement_timeout = 0');
  await trx.raw('set local idle_in_transaction_session_timeout = 0');
  await lockMigrations(trx, 'exclusive');
  await createList(trx);
  const next = planMigrations(migrations, await appliedNames(trx))[0];
  if (next === undefined) return null;
  await next.up?.(trx);
  // on another connection: these are not built inside of a transaction, while this one holds the lock
  for (const index of next.indexes ?? []) await buildIndex(db, index);
  await trx.raw('insert into schema_migrations (name) values (?)', [next.name]);
  return next.name;
}

async function createList(trx: Knex.Transaction): Promise<void> {
  await trx.raw(
    'create table if not exists schema_migrations (name text primary key, applied_at timestamptz not null default now())',
  );
}

async function appliedNames(db: Knex): Promise<Set<string>> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>('select name from schema_migrations');
  return new Set(rows.map(({ name }) => name));
}

function planMigrations(migrations: readonly Migration[], applied: ReadonlySet<string>): Migration[] {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = [...applied].filter((name) => !known.has(name)).sort();
  if (unknown.length > 0) throw new NewerDatabaseError(unknown);
  return migrations.filter(({ name }) => !applied.has(name));
}
