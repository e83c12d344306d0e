import { closeSync, existsSync, openSync, type Stats } from 'node:fs';
import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { StateDirectoryError, StateDirectoryInUseError } from './errors.js';

// A state directory belongs to one node:
//   key.pem         private key, made here, never leaves
//   key.….pem       its neighbours while it is being changed, see node-keys.ts
//   identity.json   who the node is and which control plane it trusts
//   generation      how often it connected
//   lock            held by the process that uses the directory
//   spool/          results not yet delivered
//   upgrade.log     what the last upgrade command printed

/**
 * Creates the directory with mode 0700, or checks an existing one and closes it to others.
 * @throws StateDirectoryError when it belongs to another user, or others can write to it
 */
export async function openStateDirectory(stateDir: string): Promise<void> {
  const info = await makeOrStat(stateDir);
  if (!info.isDirectory()) throw new StateDirectoryError(`"${stateDir}" is not a directory`);
  const uid = process.geteuid?.() ?? info.uid;
  if (info.uid !== uid) {
    throw new StateDirectoryError(
      `"${stateDir}" belongs to user ${info.uid}, this is user ${uid}: run as that user, or choose another directory`,
    );
  }
  if ((info.mode & 0o022) !== 0) {
    throw new StateDirectoryError(
      `other users can write to "${stateDir}", so its contents cannot be trusted: inspect it, then run chmod 700 "${stateDir}"`,
    );
  }
  if ((info.mode & 0o777) !== 0o700) await chmod(stateDir, 0o700);
}

/** Longer than `isStateDirectoryInUse` takes. */
const LOCK_WAIT_MS = 200;

/** Held until released, or until the process ends in whatever way. */
export interface StateDirectoryLock {
  release(): void;
}

/**
 * Locks the directory for this process. The lock is SQLite's own exclusive lock on an empty file, an fcntl lock
 * underneath: the kernel releases it with the process, so that a crash leaves none behind, and no process id can be
 * mistaken for another.
 * @throws StateDirectoryInUseError
 */
export function lockStateDirectory(stateDir: string): StateDirectoryLock {
  const path = join(stateDir, 'lock');
  closeSync(openSync(path, 'a', 0o600));
  const database = new Database(path, { timeout: LOCK_WAIT_MS });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY')
      throw new StateDirectoryInUseError(stateDir);
    throw new StateDirectoryError(`cannot lock "${stateDir}"`, { cause: error });
  }
  const release = () => {
    process.off('exit', release);
    database.close();
  };
  // this reference also prevents garbage collection of the lock
  process.on('exit', release);
  return { release };
}

/**
 * True if a process holds the directory. The test takes the weaker form of the lock for a moment, which
 * `lockStateDirectory` waits for.
 */
export function isStateDirectoryInUse(stateDir: string): boolean {
  const path = join(stateDir, 'lock');
  if (!existsSync(path)) return false;
  const database = new Database(path, { readonly: true, timeout: 0 });
  try {
    database.pragma('schema_version');
    return false;
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY') return true;
    throw error;
  } finally {
    database.close();
  }
}

async function makeOrStat(stateDir: string): Promise<Stats> {
  try {
    await mkdir(stateDir, { recursive: true, mode: 0o700 });
    return await stat(stateDir);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StateDirectoryError(`cannot use "${stateDir}" as state directory: ${reason}`, { cause });
  }
}
