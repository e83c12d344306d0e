import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { pino } from 'pino';
import tap, { type Test } from 'tap';
import { openDatabase } from '../../src/db/database.js';
import { migrate } from '../../src/db/migrate.js';
import { ensurePartitions } from '../../src/db/partitions.js';
import { startTestPostgres } from './test-postgres.js';

let ownServer: ReturnType<typeof startTestPostgres> | null = null;

/** Seen by test files only; any number that the program's own locks don't use. */
const templateLock = 7_265_001;

export interface TestDatabase {
  readonly url: string;
  readonly db: Knex;
}

/**
 * A database of its own, migrated and with today's partitions unless `migrate` is false; dropped when `t` ends. On
 * the server of VANTAGE_TEST_DATABASE_URL, else on one started for this file.
 */
export async function createTestDatabase(t: Test, options: { migrate?: boolean } = {}): Promise<TestDatabase> {
  const adminUrl = await testServerUrl();
  const admin = open(adminUrl);
  const name = `test_${randomBytes(8).toString('hex')}`;
  if (options.migrate === false) await admin.raw('create database ??', [name]);
  else await cloneTemplate(admin, adminUrl, name);
  const url = withDatabase(adminUrl, name);
  const db = open(url);
  // the template has them, unless it was made on another day
  if (options.migrate !== false) await ensurePartitions(db, Date.now());
  t.teardown(async () => {
    await db.destroy();
    await admin.raw('drop database ?? with (force)', [name]);
    await admin.destroy();
  });
  return { url, db };
}

/** One server per run, or one per file when a file runs on its own. */
async function testServerUrl(): Promise<string> {
  const shared = process.env['VANTAGE_TEST_DATABASE_URL'];
  if (shared !== undefined && shared !== '') return shared;
  if (ownServer === null) {
    ownServer = startTestPostgres();
    tap.teardown(async () => (await ownServer)?.stop());
  }
  return (await ownServer).url;
}

/** The first file of a run migrates a template; every file clones it. */
async function cloneTemplate(admin: Knex, adminUrl: string, name: string): Promise<void> {
  const template = `template_${await migrationsHash()}`;
  await admin.transaction(async (trx) => {
    await trx.raw('select pg_advisory_xact_lock(?)', [templateLock]);
    const { rows } = await admin.raw('select 1 from pg_database where datname = ?', [template]);
    if (rows.length === 0) await makeTemplate(admin, adminUrl, template);
  });
  await admin.raw('create database ?? template ??', [name, template]);
}

/** Under another name until it is complete, so that an aborted run leaves no half-migrated template. */
async function makeTemplate(admin: Knex, adminUrl: string, template: string): Promise<void> {
  const unfinished = `${template}_unfinished`;
  await admin.raw('drop database if exists ?? with (force)', [unfinished]);
  await admin.raw('create database ??', [unfinished]);
  const db = open(withDatabase(adminUrl, unfinished));
  await migrate(db, pino({ level: 'silent' }));
  await ensurePartitions(db, Date.now());
  await db.destroy();
  await admin.raw('alter database ?? rename to ??', [unfinished, template]);
}

async function migrationsHash(): Promise<string> {
  const folder = new URL('../../src/db/migrations/', import.meta.url);
  const hash = createHash('sha256');
  for (const name of (await readdir(folder)).sort()) {
    if (name.endsWith('.js')) hash.update(await readFile(new URL(name, folder)));
  }
  return hash.digest('hex').slice(0, 16);
}

function open(url: string): Knex {
  return openDatabase({ url, poolSize: 5, applicationName: 'vantage test' });
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** Where the server of a database listens, for a proxy in front of it: the path of its socket, or its origin. */
export function databaseServer(url: string): string {
  const { searchParams, host, port } = new URL(url);
  const directory = searchParams.get('host');
  return directory === null ? `http://${host}` : `${directory}/.s.PGSQL.${port || 5432}`;
}

/** The same database, reached through a proxy. */
export function databaseThrough(proxyUrl: string, url: string): string {
  const proxied = new URL(url);
  proxied.searchParams.delete('host');
  proxied.host = new URL(proxyUrl).host;
  return proxied.href;
}
