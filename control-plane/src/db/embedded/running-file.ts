import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EmbeddedPostgresError } from './errors.js';
import type { OwnerPurpose } from './guardian-protocol.js';
import type { RunAs } from './run-as.js';

/** Contents of `<data>/database.json` while a database runs: how to join it, and for which process it runs. */
export interface RunningDatabase {
  readonly url: string;
  readonly ownerPid: number;
  readonly purpose: OwnerPurpose;
}

/**
 * Written by the guardian alone, which holds the lock. 0600, because the URL has the password; root leaves it to
 * `owner`, who has the database's files.
 */
export async function writeRunningFile(
  dataDir: string,
  running: RunningDatabase,
  owner: RunAs['owner'],
): Promise<void> {
  const file = runningFile(dataDir);
  await rm(`${file}.new`, { force: true });
  await writeFile(`${file}.new`, `${JSON.stringify(running)}\n`, { mode: 0o600 });
  if (owner !== null) await chown(`${file}.new`, owner.uid, owner.gid);
  await rename(`${file}.new`, file);
}

/** Removes the file before the database stops, so that no process joins it then. */
export async function removeRunningFile(dataDir: string): Promise<void> {
  await rm(runningFile(dataDir), { force: true });
}

/**
 * Running database; null if none is. After a crash the file may remain with an invalid URL: only a connection proves
 * it.
 */
export async function readRunningFile(dataDir: string): Promise<RunningDatabase | null> {
  try {
    return JSON.parse(await readFile(runningFile(dataDir), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new EmbeddedPostgresError(
      `cannot read "${runningFile(dataDir)}" (${String(error)}); run this as the user the server runs as`,
      { cause: error },
    );
  }
}

function runningFile(dataDir: string): string {
  return path.join(dataDir, 'database.json');
}
