import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lanes } from '@vantage/shared/protocol/lanes.js';
import { EPOCH_BYTES } from '@vantage/shared/protocol/limits.js';
import Database from 'better-sqlite3';
import { SpoolOpenError } from './errors.js';
import { decodeHead, emptyHead, encodeHead, type SpoolHead } from './head.js';
import { laneTableSchema } from './lane-rows.js';

/** File name of the spool inside its folder. */
export const SPOOL_FILE_NAME = 'spool.db';

const SCHEMA_VERSION = 1;
const APPLICATION_ID = 0x56_41_4e_54;
// NOTE: the ballast must make room for what the log holds: these pages and the largest commit (pending-rows.ts)
const LOG_PAGES = 128;
const LOG_BYTES = 1024 * 1024;

export interface OpenDatabase {
  readonly database: Database.Database;
  readonly head: SpoolHead;
  /** Path of the corrupt file that was put aside, or null. */
  readonly setAside: string | null;
}

/**
 * Opens the spool file for its one writer, or makes it. A file that is damaged, or is none of ours, is renamed to
 * `spool.db.corrupt-<time>`, of which the newest is kept, and an empty one takes its place.
 * @throws SpoolOpenError when the file can neither be opened nor made, or was made by a newer version
 */
export function openDatabase(folder: string, wallMs: number, isSuspect: boolean): OpenDatabase {
  const path = join(folder, SPOOL_FILE_NAME);
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    const existing = isSuspect ? null : openIntact(path, wallMs);
    if (existing !== null) return { ...existing, setAside: null };
    const setAside = putAside(folder, wallMs);
    const fresh = openIntact(path, wallMs);
    if (fresh === null) throw new SpoolOpenError(`a new spool "${path}" is corrupt at once`);
    return { ...fresh, setAside };
  } catch (cause) {
    if (cause instanceof SpoolOpenError) throw cause;
    throw new SpoolOpenError(`cannot open spool "${path}"`, { cause });
  }
}

/** Whether SQLite says that the file itself is damaged. */
export function isCorruption(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(sqliteCode(error));
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

/** Null when the file is damaged or not a spool. */
function openIntact(path: string, wallMs: number): { database: Database.Database; head: SpoolHead } | null {
  // made beforehand so that it, and the files SQLite puts beside it with the same mode, are nobody else's to read
  closeSync(openSync(path, 'a', 0o600));
  const database = new Database(path);
  try {
    const head = isNew(database) ? createSpool(database, wallMs) : openSpool(database, path);
    if (head !== null) return { database, head };
  } catch (error) {
    database.close();
    if (isCorruption(error)) return null;
    throw error;
  }
  database.close();
  return null;
}

/** Looks before it touches: what has to be put aside stays as it was. Null when that is so. */
function openSpool(database: Database.Database, path: string): SpoolHead | null {
  if (database.pragma('application_id', { simple: true }) !== APPLICATION_ID) return null;
  const version = Number(database.pragma('user_version', { simple: true }));
  if (version > SCHEMA_VERSION) throw new SpoolOpenError(`spool "${path}" was made by a newer version of the agent`);
  if (database.pragma('quick_check(1)', { simple: true }) !== 'ok') return null;
  configure(database);
  return readHead(database);
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

function createSpool(database: Database.Database, wallMs: number): SpoolHead {
  configure(database);
  const head = emptyHead(randomBytes(EPOCH_BYTES).toString('hex'), { spoolMs: wallMs, wallMs });
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
  return head;
}

/** Renames the damaged file; its log belongs to it and must never meet the new one. */
function putAside(folder: string, wallMs: number): string | null {
  const stem = `${SPOOL_FILE_NAME}.corrupt-`;
  for (const name of readdirSync(folder)) if (name.startsWith(stem)) rmSync(join(folder, name));
  const path = join(folder, SPOOL_FILE_NAME);
  if (!existsSync(path)) return null;
  const aside = join(folder, `${stem}${new Date(wallMs).toISOString().replaceAll(':', '')}`);
  renameSync(path, aside);
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  syncFolder(folder);
  return aside;
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
