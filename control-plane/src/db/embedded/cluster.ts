import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EmbeddedPostgresError } from './errors.js';
import { reasonOf } from './failure-reason.js';
import type { RunAs } from './run-as.js';

// A cluster is created next to its place and renamed when complete, so that a directory called `postgres` is never
// half-made:
//
//   <data>/postgres.new/password     for initdb
//   <data>/postgres.new/cluster/     initdb works here, then the password moves in
//   <data>/postgres/                 the cluster; password in vantage.password, 0600 like all of PostgreSQL's files

/** Database superuser and only role of the embedded PostgreSQL. */
export const databaseUser = 'vantage';

const passwordFile = 'vantage.password';

export interface Cluster {
  readonly directory: string;
  readonly password: string;
}

interface MakeOptions {
  /** True if creation waits for the disk. */
  readonly isDurable: boolean;
  readonly signal: AbortSignal;
}

/**
 * The cluster under `dataDir`, created if it does not exist; the caller holds the data directory's lock.
 * @throws EmbeddedPostgresError when what is there is not usable, or making it fails
 */
export async function prepareCluster(dataDir: string, runAs: RunAs, options: MakeOptions): Promise<Cluster> {
  const directory = path.join(dataDir, 'postgres');
  if (await isAbsent(directory)) await makeCluster(dataDir, directory, runAs, options);
  await checkVersion(directory, runAs.binaries.version);
  return { directory, password: await readPassword(directory) };
}

async function isAbsent(directory: string): Promise<boolean> {
  try {
    const names = await readdir(directory);
    if (names.length > 0) return false;
    await rmdir(directory);
    return true;
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
}

async function checkVersion(directory: string, version: string): Promise<void> {
  const major = version.split('.')[0];
  const found = await readIfPresent(path.join(directory, 'PG_VERSION'));
  if (found === null) {
    throw new EmbeddedPostgresError(
      `"${directory}" is not a PostgreSQL database; move it away, or choose another VANTAGE_DATA_DIR`,
    );
  }
  if (found.trim() !== major) {
    throw new EmbeddedPostgresError(
      `"${directory}" was created by PostgreSQL ${found.trim()}, and this version includes ${major}: dump it with the version ` +
        'of Vantage that created it, and restore it into a new VANTAGE_DATA_DIR',
    );
  }
}

async function readPassword(directory: string): Promise<string> {
  const password = await readIfPresent(path.join(directory, passwordFile));
  if (password !== null && password !== '') return password;
  throw new EmbeddedPostgresError(
    `"${path.join(directory, passwordFile)}" is missing: the database was not created by Vantage, or was restored in part; ` +
      'restore the file or choose another VANTAGE_DATA_DIR',
  );
}

async function makeCluster(dataDir: string, directory: string, runAs: RunAs, options: MakeOptions): Promise<void> {
  const workshop = path.join(dataDir, 'postgres.new');
  await rm(workshop, { recursive: true, force: true });
  try {
    const unfinished = path.join(workshop, 'cluster');
    const password = path.join(workshop, 'password');
    await mkdir(workshop, { mode: 0o700 });
    await writeFile(password, randomBytes(24).toString('base64url'), { mode: 0o600 });
    if (runAs.owner !== null) {
      for (const file of [workshop, password]) await chown(file, runAs.owner.uid, runAs.owner.gid);
    }
    await runInitdb(runAs, unfinished, password, options);
    await rename(password, path.join(unfinished, passwordFile));
    await rename(unfinished, directory);
    await syncDirectory(dataDir);
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

function runInitdb(runAs: RunAs, directory: string, password: string, options: MakeOptions): Promise<void> {
  const {
    file,
    args,
    options: as,
  } = runAs.command(runAs.binaries.initdb, [
    `--pgdata=${directory}`,
    `--username=${databaseUser}`,
    `--pwfile=${password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-instructions',
    ...(options.isDurable ? [] : ['--no-sync']),
  ]);
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...as, stdio: ['ignore', 'ignore', 'pipe'], signal: options.signal });
    let complaints = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaints += text;
    });
    // aborted: it gets a signal and cleans up first
    child.once('error', (error) => {
      complaints += error.message;
    });
    child.once('close', (code) => {
      if (code === 0) resolve();
      else
        reject(new EmbeddedPostgresError(`cannot create the database "${directory}": ${reasonOf(complaints, code)}`));
    });
  });
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readIfPresent(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
