import { type ChildProcess, spawn } from 'node:child_process';
import { access, constants, mkdir, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { DataDirectoryInUseError, EmbeddedPostgresError } from './errors.js';
import { type GuardianOrders, type GuardianReport, lockedExitCode, type OwnerPurpose } from './guardian-protocol.js';
import { childEnvironment } from './run-as.js';

/** A database that runs for as long as this process lives or until `stop`. */
export interface EmbeddedPostgres {
  /** Superuser's URL over a Unix socket, password included. */
  readonly url: string;
  /** Resolves with the reason if the database is lost for good without having been stopped; otherwise never. */
  readonly lost: Promise<EmbeddedPostgresError>;
  /** Stops it fast; resolves when no process of it is left. May be called twice. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** Data directory, created if missing; the database is in its folder `postgres`. */
  readonly dataDir: string;
  readonly log: Logger;
  readonly purpose?: OwnerPurpose;
  /** Directory that contains `dataDir` and is removed, with its contents, when the database has stopped. */
  readonly ephemeral?: string;
  /** PostgreSQL settings: `{ fsync: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Attempts once to start the database under `dataDir`; null if another process holds that directory.
 * @throws EmbeddedPostgresError
 */
export async function tryStartEmbeddedPostgres(options: StartOptions): Promise<EmbeddedPostgres | null> {
  const dataDir = await makeDataDirectory(options.dataDir);
  const guardian = spawnGuardian({
    dataDir,
    ownerPid: process.pid,
    purpose: options.purpose ?? 'server',
    ephemeral: options.ephemeral === undefined ? null : await checkEphemeral(options.ephemeral, dataDir),
    settings: options.settings ?? {},
    temporaryDirectory: tmpdir(),
  });
  return watchGuardian(guardian, options.log);
}

/**
 * Starts the database under a directory that no other process uses: a temporary one.
 * @throws DataDirectoryInUseError
 * @throws EmbeddedPostgresError
 */
export async function startEmbeddedPostgres(options: StartOptions): Promise<EmbeddedPostgres> {
  const started = await tryStartEmbeddedPostgres(options);
  if (started === null) throw new DataDirectoryInUseError(options.dataDir, null);
  return started;
}

/**
 * Creates the data directory and resolves its path, so that two names of one directory are one.
 * @throws EmbeddedPostgresError
 */
async function makeDataDirectory(dataDir: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(dataDir);
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new EmbeddedPostgresError(
      `cannot create or write data directory "${dataDir}" (${reason}); ` +
        'fix its permissions, choose another VANTAGE_DATA_DIR, or set VANTAGE_DATABASE_URL',
      { cause },
    );
  }
}

/**
 * Checks that the directory to remove contains the data directory, in case a caller passed a wrong one.
 * @returns its resolved path
 */
async function checkEphemeral(ephemeral: string, dataDir: string): Promise<string> {
  const directory = await realpath(ephemeral);
  if (dataDir === directory || dataDir.startsWith(directory + path.sep)) return directory;
  throw new EmbeddedPostgresError(`ephemeral directory "${ephemeral}" does not contain data directory "${dataDir}"`);
}

/**
 * Spawns the guardian: flock holds the lock open, becomes the guardian, and the kernel releases the lock when that
 * ends. flock(1), flock(2)
 */
function spawnGuardian(orders: GuardianOrders): ChildProcess {
  const lock = ['--exclusive', '--nonblock', '--no-fork', '--conflict-exit-code', String(lockedExitCode)];
  const lockFile = path.join(orders.dataDir, 'database.lock');
  const program = fileURLToPath(new URL('./guardian.js', import.meta.url));
  return spawn('flock', [...lock, lockFile, process.execPath, program, JSON.stringify(orders)], {
    // its own session: Ctrl-C goes to the whole foreground group
    detached: true,
    env: childEnvironment,
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

function watchGuardian(guardian: ChildProcess, log: Logger): Promise<EmbeddedPostgres | null> {
  let isStopping = false;
  let failure: string | null = null;
  const ended = new Promise<number | null>((resolve) => {
    guardian.once('close', resolve);
    guardian.once('error', (error) => {
      failure = `cannot run flock (Debian package util-linux): ${error.message}`;
      resolve(null);
    });
  });
  const failed = () => new EmbeddedPostgresError(failure ?? 'the guardian of embedded PostgreSQL was killed');
  const lost = new Promise<EmbeddedPostgresError>((resolve) => {
    void ended.then(() => isStopping || resolve(failed()));
  });
  const stop = async () => {
    isStopping = true;
    guardian.stdin?.destroy();
    await ended;
  };
  return new Promise((resolve, reject) => {
    guardian.stdin?.on('error', () => {});
    // everything is cleaned up only when the guardian has ended
    void ended.then((code) => (code === lockedExitCode ? resolve(null) : reject(failed())));
    eachLine(guardian.stderr, (line) => {
      log.error({ line }, 'embedded PostgreSQL guardian reported an error');
      if (line.startsWith('flock: ')) failure = `cannot lock the data directory: ${line}`;
    });
    eachLine(guardian.stdout, (line) => {
      const report: GuardianReport = JSON.parse(line);
      if (report.kind === 'ready') resolve({ url: report.url, lost, stop });
      else if (report.kind === 'failed') failure = report.message;
      else if (report.kind === 'lost') failure = `embedded PostgreSQL ended: ${report.message}`;
      else if (report.kind === 'restarting')
        log.error({ reason: report.message }, 'embedded PostgreSQL ended, restarting');
      else log[levelOf(report.line)]({ line: report.line }, 'embedded PostgreSQL');
    });
  });
}

function levelOf(line: string): 'error' | 'warn' | 'debug' {
  if (line.startsWith('PANIC:')) return 'error';
  return line.startsWith('FATAL:') ? 'warn' : 'debug';
}

function eachLine(stream: NodeJS.ReadableStream | null, onLine: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', onLine);
}
