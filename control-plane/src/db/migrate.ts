import type { Knex } from 'knex';
import { buildIndex, buildIndexOfEmpty } from './build-index.js';
import { lockMigrations } from './lock-migrations.js';
import { type Migration, migrations as ownMigrations } from './migrations/index.js';

// One transaction per migration, and in each of them first the advisory lock. Of N replicas that start together, one
// migrates and the others wait, check again and find nothing left. A crash rolls back to the state between two
// migrations and releases the lock with the connection, so nothing can get stuck.

// A database may be ahead of this program by migrations that it does not know: while a new version is rolled out, a
// replica of the previous one may have to start again. Migrations only add what that one ignores, so it goes on. One that
// takes something away names in `requires` what a program has to know, and a program that does not know it refuses.

/** The database was migrated by a newer version of this program, next to which this one cannot work. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
  constructor(readonly unknown: readonly string[]) {
    super(
      `the database has migrations this version does not know (${unknown.map((name) => `"${name}"`).join(', ')}): ` +
        'it was used by a newer version; run that version or restore a backup',
    );
  }
}

/** Difference between a database and this version. */
export interface MigrationState {
  /** Names this version would still apply, in order. */
  readonly pending: readonly string[];
  /** Names of a newer version, next to which this one works. */
  readonly ahead: readonly string[];
}

interface AppliedMigration {
  readonly name: string;
  /** Migration that a program has to know in order to work with the database, or null. */
  readonly requires?: string | null;
}

/** Part of a pino logger that migration uses. */
export interface MigrationLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
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
  const { pending, ahead } = await readMigrationState(db, migrations);
  if (ahead.length > 0) log.warn({ migrations: ahead }, 'database was migrated by a newer version, continuing with it');
  if (pending.length === 0) return applied;
  for (;;) {
    const name = await db.transaction((trx) => applyNext(trx, db, migrations));
    if (name === null) return applied;
    log.info({ migration: name }, 'database migrated');
    applied.push(name);
  }
}

/** Compares the database with this version; reads only. @throws NewerDatabaseError */
export async function readMigrationState(
  db: Knex,
  migrations: readonly Migration[] = ownMigrations,
): Promise<MigrationState> {
  const { rows } = await db.raw("select to_regclass('schema_migrations') is not null as exists");
  const { pending, ahead } = planMigrations(migrations, rows[0].exists ? await listApplied(db) : []);
  return { pending: pending.map(({ name }) => name), ahead };
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
  const unknown = planMigrations(
    migrations,
    names.map((name) => ({ name })),
  ).ahead;
  // their tables cannot be made here
  if (unknown.length > 0) throw new NewerDatabaseError(unknown);
  await createList(trx);
  for (const migration of migrations.filter(({ name }) => wanted.has(name))) {
    await migration.up?.(trx);
    for (const index of migration.indexes ?? []) await buildIndexOfEmpty(trx, index);
    await record(trx, migration);
  }
}

async function applyNext(trx: Knex.Transaction, db: Knex, migrations: readonly Migration[]): Promise<string | null> {
  // waiting for the lock and building an index may both take longer than any other statement
  await trx.raw('set local statement_timeout = 0');
  await trx.raw('set local idle_in_transaction_session_timeout = 0');
  await lockMigrations(trx, 'exclusive');
  await createList(trx);
  const next = planMigrations(migrations, await listApplied(trx)).pending[0];
  if (next === undefined) return null;
  await next.up?.(trx);
  // on another connection: these are not built inside of a transaction, while this one holds the lock
  for (const index of next.indexes ?? []) await buildIndex(db, index);
  await record(trx, next);
  return next.name;
}

async function record(trx: Knex.Transaction, { name, requires }: Migration): Promise<void> {
  await trx('schema_migrations').insert({ name, requires: requires ?? null });
}

async function createList(trx: Knex.Transaction): Promise<void> {
  await trx.raw(
    'create table if not exists schema_migrations (name text primary key, applied_at timestamptz not null default now(), requires text)',
  );
  const { rows } = await trx.raw(
    "select from pg_attribute where attrelid = 'schema_migrations'::regclass and attname = 'requires'",
  );
  // a list of before the first release; only then, since the lock is held until the migration ends
  if (rows.length === 0) await trx.raw('alter table schema_migrations add column requires text');
}

async function listApplied(db: Knex): Promise<AppliedMigration[]> {
  const { rows } = await db.raw<{ rows: AppliedMigration[] }>('select * from schema_migrations order by name');
  return rows;
}

/** Migrations to apply, and the names of unknown ones that this version may ignore. @throws NewerDatabaseError */
function planMigrations(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): { readonly pending: Migration[]; readonly ahead: string[] } {
  const known = new Set(migrations.map(({ name }) => name));
  const done = new Set(applied.map(({ name }) => name));
  const unknown = applied.filter(({ name }) => !known.has(name));
  const pending = migrations.filter(({ name }) => !done.has(name));
  const ahead = unknown.map(({ name }) => name);
  const isForeign = unknown.some(({ requires }) => typeof requires === 'string' && !known.has(requires));
  // with some of both, neither version is older
  if (isForeign || (ahead.length > 0 && pending.length > 0)) throw new NewerDatabaseError(ahead);
  return { pending, ahead };
}
