import { closeSync, existsSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import type { ScheduleBatch, StoredRow, StoredSchedule } from './stored-schedule.js';

const APPLICATION_ID = 0x56_53_43_48;
const SCHEMA_VERSION = 2;

const SCHEMA = `
  CREATE TABLE assignments (
    monitor_id TEXT PRIMARY KEY, generation INTEGER NOT NULL, spec TEXT NOT NULL,
    done INTEGER, running INTEGER, state TEXT NOT NULL, first_ms INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE lease (id INTEGER PRIMARY KEY CHECK (id = 1), contact_at REAL, seconds INTEGER NOT NULL) STRICT;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** Upgrade of a file that an older agent left: it has no first checks that began at once. */
const FROM_VERSION_1 = `
  ALTER TABLE assignments ADD COLUMN first_ms INTEGER;
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** A file of the schedule, what it held, and where a damaged one went that was in its place. */
export interface OpenSchedule {
  readonly database: ScheduleDatabase;
  readonly stored: StoredSchedule;
  readonly setAside: string | null;
}

/**
 * Opens the file at `path` for its one writer, or creates it. A file that is damaged, or not a schedule, is renamed to
 * `<path>.corrupt` and replaced by a new one; so is a file that was found damaged while open (`isSuspect`).
 * @throws Error of SQLite or the system when there can be no file
 */
export function openSchedule(path: string, { isSuspect }: { readonly isSuspect: boolean }): OpenSchedule {
  const found = isSuspect ? null : tryOpen(path);
  if (found !== null) return { ...found, setAside: null };
  const setAside = putAside(path);
  const made = tryOpen(path);
  if (made === null) throw new Error(`cannot create "${path}"`);
  return { ...made, setAside };
}

/** The file of the schedule. The caller that opens it closes it. */
export class ScheduleDatabase {
  readonly #database: Database.Database;
  readonly #save: (batch: ScheduleBatch) => void;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#save = prepareSave(database);
  }

  /** One transaction. @throws SqliteError */
  save(batch: ScheduleBatch): void {
    this.#save(batch);
  }

  close(): void {
    this.#database.close();
  }
}

/** Opens a file; null when it is damaged or holds something else. */
function tryOpen(path: string): Pick<OpenSchedule, 'database' | 'stored'> | null {
  // created beforehand so that no other user can read it, or the files that SQLite creates next to it with the same
  // mode
  closeSync(openSync(path, 'a', 0o600));
  // it has only one writer: another holder of the lock is not waited for
  const database = new Database(path, { timeout: 0 });
  try {
    if (isOurs(database)) return { database: new ScheduleDatabase(database), stored: readStored(database) };
  } catch (error) {
    database.close();
    if (/^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(sqliteCode(error))) return null;
    throw error;
  }
  database.close();
  return null;
}

function isOurs(database: Database.Database): boolean {
  const isNew = database.pragma('schema_version', { simple: true }) === 0;
  if (!isNew && database.pragma('application_id', { simple: true }) !== APPLICATION_ID) return false;
  const version = database.pragma('user_version', { simple: true });
  if (!isNew && version !== SCHEMA_VERSION && version !== 1) return false;
  if (!isNew && database.pragma('quick_check(1)', { simple: true }) !== 'ok') return false;
  database.pragma('journal_mode = WAL');
  // a power failure loses a second of progress, which is reported as missed
  database.pragma('synchronous = NORMAL');
  database.pragma('cache_size = -1024');
  if (isNew) database.exec(SCHEMA);
  else if (version === 1) database.exec(FROM_VERSION_1);
  return true;
}

function readStored(database: Database.Database): StoredSchedule {
  const rows = database.prepare<[], StoredRow>(
    'SELECT monitor_id AS monitorId, generation, spec AS specJson, first_ms AS firstMs, done, running, state AS stateJson FROM assignments',
  );
  const lease = database.prepare<[], { contactAt: number | null; seconds: number }>(
    'SELECT contact_at AS contactAt, seconds FROM lease',
  );
  return { rows: rows.all(), lease: lease.get() ?? null };
}

function prepareSave(database: Database.Database): (batch: ScheduleBatch) => void {
  const clear = database.prepare('DELETE FROM assignments');
  const put = database.prepare<StoredRow>(
    `INSERT OR REPLACE INTO assignments (monitor_id, generation, spec, first_ms, done, running, state)
     VALUES (@monitorId, @generation, @specJson, @firstMs, @done, @running, @stateJson)`,
  );
  const move = database.prepare(
    'UPDATE assignments SET first_ms = @firstMs, done = @done, running = @running, state = @stateJson WHERE monitor_id = @monitorId',
  );
  const drop = database.prepare<[string]>('DELETE FROM assignments WHERE monitor_id = ?');
  const keepLease = database.prepare(
    'INSERT OR REPLACE INTO lease (id, contact_at, seconds) VALUES (1, @contactAt, @seconds)',
  );
  const save = database.transaction(({ isEverything, rows, progress, dropped, lease }: ScheduleBatch) => {
    if (isEverything) clear.run();
    for (const monitorId of dropped) drop.run(monitorId);
    for (const row of rows) put.run(row);
    for (const row of progress) move.run(row);
    if (lease !== null) keepLease.run(lease);
  });
  return (batch) => save.immediate(batch);
}

/** SQLite's result code name, or '' for any other error. */
export function sqliteCode(error: unknown): string {
  return error instanceof Database.SqliteError ? error.code : '';
}

/**
 * Moves a damaged file aside; only the newest is kept. Its log belongs to it and must never meet the new file.
 * @returns the new path
 */
function putAside(path: string): string | null {
  const folder = dirname(path);
  const aside = `${path}.corrupt`;
  for (const name of readdirSync(folder)) if (name.startsWith(basename(aside))) rmSync(join(folder, name));
  if (!existsSync(path)) return null;
  renameSync(path, aside);
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${aside}-wal`);
  rmSync(`${path}-shm`, { force: true });
  return aside;
}
