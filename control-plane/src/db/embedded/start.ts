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
  /** Resolves with why when the database is gone for good though nobody stopped it; else never. */
  readonly lost: Promise<EmbeddedPostgresError>;
  /** Stops it fast; resolves when no process of it is left. May be called twice. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** Made when missing; the database goes into `postgres` in it. */
  readonly dataDir: string;
  readonly log: Logger;
  readonly purpose?: OwnerPurpose;
  /** A directory that contains `dataDir` and is removed, with all in it, when the database has stopped. */
  readonly ephemeral?: string;
  /** PostgreSQL settings: `{ fsync: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * One try to start the database under `dataDir`; null when another process holds that directory.
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
 * Starts the database under a directory that nobody else uses: a temporary one.
 * @throws DataDirectoryInUseError @throws EmbeddedPostgresError
 */
export async function startEmbeddedPostgres(options: StartOptions): Promise<EmbeddedPostgres> {
  const started = await tryStartEmbeddedPostgres(options);
  if (started === null) throw new DataDirectoryInUseError(options.dataDir, null);
  return started;
}

/** Resolved, so that two names of one directory are one. @throws EmbeddedPostgresError */
async function makeDataDirectory(dataDir: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(dataDir);
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new EmbeddedPostgresError(
      `data directory "${dataDir}" can't be made or written (${reason}); ` +
        'fix its permissions, choose another VANTAGE_DATA_DIR, or set VANTAGE_DATABASE_URL',
      { cause },
    );
  }
}

/** What is removed must be what holds the database, whatever a caller mixes up. */
async function checkEphemeral(ephemeral: string, dataDir: string): Promise<string> {
  const directory = await realpath(ephemeral);
  if (dataDir === directory || dataDir.startsWith(directory + path.sep)) return directory;
  throw new EmbeddedPostgresError(`ephemeral directory "${ephemeral}" does not contain data directory "${dataDir}"`);
}

/** flock holds the lock open, becomes the guardian, and the kernel lets go of it when that ends. flock(1), flock(2) */
function spawnGuardian(orders: GuardianOrders): ChildProcess {
  const lock = ['--exclusive', '--nonblock', '--no-fork', '--conflict-exit-code', String(lockedExitCode)];
  const lockFile = path.join(orders.dataDir, 'database.lock');
  const program = fileURLToPath(new URL('./guardian.js', import.meta.url));
  return spawn('flock', [...lock, lockFile, process.execPath, program, JSON.stringify(orders)], {
    // a session of its own: Ctrl-C goes to the whole foreground group
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
    // only when the guardian has ended is everything it made cleaned up
    void ended.then((code) => (code === lockedExitCode ? resolve(null) : reject(failed())));
    eachLine(guardian.stderr, (line) => {
      log.error({ line }, 'embedded PostgreSQL guardian complains');
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
