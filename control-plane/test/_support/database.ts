import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { pino } from 'pino';
import tap, { type Test } from 'tap';
import { openDatabase } from '../../src/db/database.js';
import { jobQueueSchema } from '../../src/db/job-queue-schema.js';
import { migrate } from '../../src/db/migrate.js';
import { ensurePartitions } from '../../src/db/partitions.js';
import { ServerConnection } from './server-connection.js';
import { startTestPostgres } from './test-postgres.js';

interface TestServer {
  readonly url: string;
  /** Connects as the role that creates databases. */
  readonly connection: ServerConnection;
}

let testServer: Promise<TestServer> | null = null;
let hash: string | null = null;
/** Name of an existing template. */
let known: string | null = null;

/** Lock shared by test files; any number that the program's own locks don't use. */
const templateLock = 7_265_001;

export interface TestDatabase {
  readonly url: string;
  readonly db: Knex;
}

/**
 * Creates a database for the test, migrated and with today's partitions unless `migrate` is false; dropped when `t`
 * ends. It is on the server of VANTAGE_TEST_DATABASE_URL, else on one started for this file.
 */
export async function createTestDatabase(t: Test, options: { migrate?: boolean } = {}): Promise<TestDatabase> {
  const server = await (testServer ??= openTestServer());
  const name = `test_${randomBytes(8).toString('hex')}`;
  if (options.migrate === false) await server.connection.run(`create database ${name}`);
  else await cloneTemplate(server, name);
  const url = withDatabase(server.url, name);
  const db = open(url);
  t.teardown(async () => {
    await db.destroy();
    await server.connection.run(`drop database ${name} with (force)`);
  });
  return { url, db };
}

/**
 * Creates a database for tests that need one after another. The returned function deletes the rows that the previous test
 * left: a tenth of the work of another database.
 */
export async function createReusedDatabase(t: Test): Promise<() => Promise<TestDatabase>> {
  const database = await createTestDatabase(t);
  const { db } = database;
  const filled = async (): Promise<string[]> => {
    const { rows } = await db.raw(
      `SELECT oid::regclass::text AS name FROM pg_class
       WHERE relnamespace IN ('public'::regnamespace, '${jobQueueSchema}'::regnamespace) AND relkind = 'r'
         AND pg_relation_size(oid) > 0`,
    );
    return rows.map(({ name }: { name: string }) => name);
  };
  const own = new Set(await filled());
  return async () => {
    const deletes = (await filled()).filter((name) => !own.has(name)).map((name) => `DELETE FROM ${name};`);
    // rows that refer to others are deleted as well, in any order
    await db.raw(`BEGIN; SET LOCAL session_replication_role = replica; ${deletes.join(' ')} COMMIT`);
    return database;
  };
}

/** One server per run, or one per file if a file runs alone. */
async function openTestServer(): Promise<TestServer> {
  const shared = process.env['VANTAGE_TEST_DATABASE_URL'];
  if (shared !== undefined && shared !== '') return { url: shared, connection: new ServerConnection(shared) };
  const own = await startTestPostgres();
  tap.teardown(() => own.stop());
  return { url: own.url, connection: new ServerConnection(own.url) };
}

/**
 * The first file of a run migrates a template; every file clones it. Its files are copied, which takes half the time of
 * copying through the write-ahead log.
 */
async function cloneTemplate(server: TestServer, name: string): Promise<void> {
  const template = await findTemplate(server);
  await server.connection.run(`create database ${name} template ${template} strategy file_copy`);
}

/** The name contains the day, because the template has that day's partitions. */
async function findTemplate(server: TestServer): Promise<string> {
  const today = new Date().toISOString().slice(0, 10).replaceAll('-', '');
  hash ??= await migrationsHash();
  const template = `template_${hash}_${today}`;
  if (template !== known) await ensureTemplate(server, template);
  known = template;
  return template;
}

async function ensureTemplate({ url }: TestServer, template: string): Promise<void> {
  const admin = open(url);
  await admin.transaction(async (trx) => {
    await trx.raw('select pg_advisory_xact_lock(?)', [templateLock]);
    const { rows } = await admin.raw('select 1 from pg_database where datname = ?', [template]);
    if (rows.length === 0) await makeTemplate(admin, url, template);
  });
  await admin.destroy();
}

/**
 * Builds the template under another name until it is complete, so that an aborted run leaves no half-migrated template.
 */
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
  const digest = createHash('sha256');
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    if (name.endsWith('.js')) digest.update(await readFile(new URL(name, folder)));
  }
  return digest.digest('hex').slice(0, 16);
}

function open(url: string): Knex {
  // on a machine that is busy with other tests, a connection may be awaited for long
  return openDatabase({ url, poolSize: 5, acquireTimeoutMs: 30_000, applicationName: 'vantage test' });
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** Address of the server of a database, for a proxy in front of it: the path of its socket, or its origin. */
export function databaseServer(url: string): string {
  const { searchParams, host, port } = new URL(url);
  const directory = searchParams.get('host');
  return directory === null ? `http://${host}` : `${directory}/.s.PGSQL.${port || 5432}`;
}

/** URL of the same database, reached through a proxy. */
export function databaseThrough(proxyUrl: string, url: string): string {
  const proxied = new URL(url);
  proxied.searchParams.delete('host');
  proxied.host = new URL(proxyUrl).host;
  return proxied.href;
}
