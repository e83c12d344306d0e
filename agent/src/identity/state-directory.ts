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
 * Makes the directory, 0700, or checks the one that is there and closes it to others.
 * @throws StateDirectoryError when it belongs to somebody else, or others can write to it
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
      `other users can write to "${stateDir}", so what is in it cannot be trusted: look at it, then chmod 700 "${stateDir}"`,
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
 * Takes the directory for this process alone. The lock is SQLite's own exclusive lock on an empty file, an fcntl lock
 * underneath: the kernel drops it with the process, so that none can be left behind by a crash, and no process id can
 * be mistaken for another.
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
  // also keeps the lock from being collected as garbage
  process.on('exit', release);
  return { release };
}

/** Whether a process holds the directory; asking takes the lock's weaker form for a moment, which `lockStateDirectory` waits for. */
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
