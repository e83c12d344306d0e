import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Lane } from '@vantage/shared/protocol/lanes.js';
import Database from 'better-sqlite3';
import { isCorruption, readHead, SPOOL_FILE_NAME, sqliteCode } from './database.js';
import { SpoolOpenError } from './errors.js';
import { mapLanes, type SpoolHead } from './head.js';
import { type DatedRow, isIntactRow, LaneLookup } from './lane-lookup.js';
import { LaneRows } from './lane-rows.js';

/** Contents of one position of a lane. */
export type StoredPlace =
  | { readonly kind: 'row'; readonly position: number; readonly row: DatedRow }
  | { readonly kind: 'corrupt'; readonly position: number }
  | { readonly kind: 'missing'; readonly position: number };

/**
 * A spool file opened for reading, while an agent has it open or while none does; nothing is changed by it. The
 * caller that opens it closes it.
 */
export class StoredSpool {
  readonly #database: Database.Database;
  readonly #onClose: () => void;
  #lookups: Record<Lane, LaneLookup> | null = null;

  private constructor(
    readonly path: string,
    { database, onClose }: OpenedFile,
  ) {
    this.#database = database;
    this.#onClose = onClose;
  }

  /** The spool of a folder. @throws SpoolOpenError */
  static inFolder(folder: string): StoredSpool {
    return StoredSpool.open(join(folder, SPOOL_FILE_NAME));
  }

  /** The spool in this file. @throws SpoolOpenError when there is none, or it cannot be read */
  static open(path: string): StoredSpool {
    try {
      // throws for a folder without permission, for which existsSync returns false
      statSync(path);
      return new StoredSpool(path, openInPlace(path) ?? openCopy(path));
    } catch (cause) {
      if (isMissing(cause)) throw new SpoolOpenError(`no spool exists at "${path}"`, { cause });
      throw new SpoolOpenError(`cannot read spool "${path}": ${messageOf(cause)}`, { cause });
    }
  }

  /** The head; null when it is missing or damaged. */
  head(): SpoolHead | null {
    try {
      return readHead(this.#database);
    } catch (error) {
      if (isUnreadable(error)) return null;
      throw error;
    }
  }

  /** Runs `read` on the file as it is now, whatever an agent does meanwhile. */
  snapshot<T>(read: () => T): T {
    this.#database.exec('BEGIN');
    try {
      return read();
    } finally {
      // SQLite refuses to commit even a read-only transaction if it found damage
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
    }
  }

  /** Writes a copy to a new file, complete as of one moment, whatever an agent does meanwhile. */
  async copyTo(path: string): Promise<void> {
    await this.#database.backup(path);
  }

  /** Faults that SQLite finds in the structure of the file, ten lines at most. */
  structuralFaults(): string[] {
    try {
      // one row for each line, by the pragma's documentation
      const lines = this.#database.pragma('quick_check(10)') as { quick_check: string }[];
      return lines.map((line) => line.quick_check).filter((line) => line !== 'ok');
    } catch (error) {
      return [messageOf(error)];
    }
  }

  /** The rows of a lane, counted around `mark`. @throws SqliteError */
  count(lane: Lane, mark: number): LaneRows {
    return new LaneRows(this.#database, lane, mark);
  }

  /** Lowest and highest position that is a row; null if there is none, or that cannot be determined. */
  span(lane: Lane): { readonly first: number; readonly last: number } | null {
    try {
      return this.#lookup(lane).span();
    } catch (error) {
      if (isUnreadable(error)) return null;
      throw error;
    }
  }

  /** Every position from `first` to `last`, one at a time: what is damaged does not hide what follows it. */
  *walk(lane: Lane, first: number, last: number): Generator<StoredPlace> {
    for (let position = first; position <= last; position += 1) yield this.#placeAt(lane, position);
  }

  close(): void {
    this.#database.close();
    this.#onClose();
  }

  #placeAt(lane: Lane, position: number): StoredPlace {
    try {
      const row = this.#lookup(lane).find(position);
      if (row === null) return { kind: 'missing', position };
      return isIntactRow(lane, row) ? { kind: 'row', position, row } : { kind: 'corrupt', position };
    } catch (error) {
      if (isUnreadable(error)) return { kind: 'corrupt', position };
      throw error;
    }
  }

  #lookup(lane: Lane): LaneLookup {
    this.#lookups ??= mapLanes((name) => new LaneLookup(this.#database, name));
    return this.#lookups[lane];
  }
}

interface OpenedFile {
  readonly database: Database.Database;
  readonly onClose: () => void;
}

/** Opens the file in place; null where the disk does not let SQLite create the file by which it reads a log. */
function openInPlace(path: string): OpenedFile | null {
  // opened read-only, SQLite leaves an empty log behind; opened for writing, it empties a log that has content
  const hasLog = existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0;
  const database = new Database(path, { readonly: hasLog, fileMustExist: true });
  try {
    database.pragma('query_only = ON');
    database.pragma('schema_version');
  } catch (error) {
    if (isUnreadable(error)) return { database, onClose: () => undefined };
    database.close();
    if (/^SQLITE_(CANTOPEN|READONLY)/.test(sqliteCode(error))) return null;
    throw error;
  }
  return { database, onClose: () => undefined };
}

function openCopy(path: string): OpenedFile {
  const folder = mkdtempSync(join(tmpdir(), 'vantage-spool-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, basename(path));
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    const opened = openInPlace(copy);
    if (opened !== null) return { ...opened, onClose: remove };
  } catch (error) {
    remove();
    throw error;
  }
  remove();
  throw new Error('SQLite cannot open a copy of the file either');
}

/** The file is damaged, or none of ours. */
function isUnreadable(error: unknown): boolean {
  return isCorruption(error) || sqliteCode(error) === 'SQLITE_ERROR';
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
