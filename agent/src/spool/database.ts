import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lanes } from '@vantage/shared/protocol/lanes.js';
import { EPOCH_BYTES } from '@vantage/shared/protocol/limits.js';
import Database from 'better-sqlite3';
import { isDamage, SpoolOpenError } from './errors.js';
import { decodeHead, encodeHead, type LostRows, newHead, type SpoolHead } from './head.js';
import { laneTableSchema } from './lane-rows.js';
import { countLost, type LastCommit, recoverHead } from './last-commit.js';
import type { OpenDamage } from './spool-thread.js';

/** File name of the spool inside its folder. */
export const SPOOL_FILE_NAME = 'spool.db';

const ASIDE_STEM = `${SPOOL_FILE_NAME}.corrupt-`;
const SCHEMA_VERSION = 1;
const APPLICATION_ID = 0x56_41_4e_54;
// NOTE: the ballast must free enough space for the log: these pages and the largest commit (pending-rows.ts)
const LOG_PAGES = 128;
const LOG_BYTES = 1024 * 1024;

export interface OpenDatabase {
  readonly database: Database.Database;
  readonly head: SpoolHead;
  readonly damage: OpenDamage | null;
}

export interface OpenOptions {
  readonly folder: string;
  readonly wallMs: number;
  /** Rows that waited when the open file was found corrupt: the file is moved aside whatever the check finds. */
  readonly suspect: LostRows | null;
  /** Note of the last commit, kept in a separate file. */
  readonly note: LastCommit | null;
}

/**
 * Opens the spool file for its one writer, or creates it. A file that is damaged, or not a spool, is renamed to
 * `spool.db.corrupt-<time>`, of which the newest is kept, and replaced by a new one, in which the rows that waited are
 * dropped ones.
 * @throws SpoolOpenError when the file can neither be opened nor created, or was created by a newer version
 */
export function openDatabase({ folder, wallMs, suspect, note }: OpenOptions): OpenDatabase {
  const path = join(folder, SPOOL_FILE_NAME);
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    const found = suspect === null ? openExisting(path, wallMs, note) : { lost: suspect };
    if ('database' in found) return found;
    putAside(folder, wallMs);
    return openFile(path, (database) => createSpool(database, wallMs, found.lost));
  } catch (cause) {
    if (cause instanceof SpoolOpenError) throw cause;
    throw new SpoolOpenError(`cannot open spool "${path}"`, { cause });
  }
}

/** The corrupt file in `folder` that was put aside last, or null. */
export function findSetAside(folder: string): string | null {
  const isAside = (name: string) => name.startsWith(ASIDE_STEM) && !/-(wal|shm)$/.test(name);
  const newest = readdirSync(folder).filter(isAside).sort().at(-1);
  return newest === undefined ? null : join(folder, newest);
}

/** True if SQLite reports that the file itself is damaged. */
export function isCorruption(error: unknown): boolean {
  return isDamage(sqliteCode(error));
}

/** SQLite's result code name, or '' for any other error. */
export function sqliteCode(error: unknown): string {
  return error instanceof Database.SqliteError ? error.code : '';
}

/** The head as stored; null when it is missing or damaged. */
export function readHead(database: Database.Database): SpoolHead | null {
  const row = database.prepare<[], { body: unknown; crc: unknown }>('SELECT body, crc FROM head').get();
  return row === undefined ? null : decodeHead(row.body, row.crc);
}

/** The file, made where there is none; of one that is damaged or not a spool, how many rows waited in it. */
function openExisting(
  path: string,
  wallMs: number,
  note: LastCommit | null,
): OpenDatabase | { readonly lost: LostRows } {
  return openFile(path, (database) => {
    const found = useDatabase(database, { path, wallMs, note });
    if ('lost' in found) database.close();
    return found;
  });
}

/**
 * Opens a database as a spool, and creates one where it is empty; for one that is damaged or no spool, returns the
 * number of rows that waited in it.
 */
export function useDatabase(
  database: Database.Database,
  { path, wallMs, note }: { readonly path: string } & Pick<OpenOptions, 'wallMs' | 'note'>,
): OpenDatabase | { readonly lost: LostRows } {
  try {
    if (isNew(database)) return createSpool(database, wallMs, note === null ? null : countLost(null, note));
    const head = openSpool(database, path);
    if (head !== null) return { database, ...recoverHead(head, note) };
  } catch (error) {
    if (!isCorruption(error)) throw error;
  }
  return { lost: countLost(salvageHead(database), note) };
}

/** Opens or makes the file; it is closed again when `use` throws. */
function openFile<T>(path: string, use: (database: Database.Database) => T): T {
  // created beforehand so that no other user can read it, or the files that SQLite creates next to it with the same
  // mode
  closeSync(openSync(path, 'a', 0o600));
  const database = new Database(path);
  try {
    return use(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Checks a database before changing it: one that has to be moved aside stays unchanged. Null when that is so. */
function openSpool(database: Database.Database, path: string): SpoolHead | null {
  if (database.pragma('application_id', { simple: true }) !== APPLICATION_ID) return null;
  const version = Number(database.pragma('user_version', { simple: true }));
  if (version > SCHEMA_VERSION) throw new SpoolOpenError(`spool "${path}" was created by a newer version of the agent`);
  if (database.pragma('quick_check(1)', { simple: true }) !== 'ok') return null;
  configure(database);
  return readHead(database);
}

/** The head of a damaged file; null when it is among the damage, or never was. */
function salvageHead(database: Database.Database): SpoolHead | null {
  try {
    return readHead(database);
  } catch {
    return null;
  }
}

function configure(database: Database.Database): void {
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('cache_size = -1024');
  database.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
  database.pragma(`journal_size_limit = ${LOG_BYTES}`);
}

function isNew(database: Database.Database): boolean {
  return database.pragma('schema_version', { simple: true }) === 0;
}

/** Creates a spool in an empty database, in which `lost` rows are dropped ones. */
export function createSpool(database: Database.Database, wallMs: number, lost: LostRows | null): OpenDatabase {
  configure(database);
  const names = { file: randomBytes(8).toString('hex'), epoch: randomBytes(EPOCH_BYTES).toString('hex') };
  const head = newHead(names, { spoolMs: wallMs, wallMs }, lost ?? { task: 0, check: 0 });
  const { body, crc } = encodeHead(head);
  const create = database.transaction(() => {
    database.exec(
      'CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL, crc INTEGER NOT NULL) STRICT',
    );
    for (const lane of lanes) database.exec(laneTableSchema(lane));
    database.prepare('INSERT INTO head (id, body, crc) VALUES (1, ?, ?)').run(body, crc);
    database.pragma(`application_id = ${APPLICATION_ID}`);
    database.pragma(`user_version = ${SCHEMA_VERSION}`);
  });
  create.immediate();
  const damage: OpenDamage | null = lost && { kind: 'replaced', lost: lost.task + lost.check };
  return { database, head, damage };
}

/** Renames the damaged file with its log, which belongs to it and must never meet the new one. */
function putAside(folder: string, wallMs: number): void {
  for (const name of readdirSync(folder)) if (name.startsWith(ASIDE_STEM)) rmSync(join(folder, name));
  const path = join(folder, SPOOL_FILE_NAME);
  if (!existsSync(path)) return;
  const aside = join(folder, `${ASIDE_STEM}${new Date(wallMs).toISOString().replaceAll(':', '')}`);
  renameSync(path, aside);
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${aside}-wal`);
  rmSync(`${path}-shm`, { force: true });
  syncFolder(folder);
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
