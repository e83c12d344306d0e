import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { delay, systemClock } from '@vantage/shared/clock.js';
import pg from 'pg';
import type { Logger } from 'pino';
import { isUnavailable } from '../unavailable.js';
import { DataDirectoryInUseError, type EmbeddedPostgresError } from './errors.js';
import { type RunningDatabase, readRunningFile } from './running-file.js';
import { tryStartEmbeddedPostgres } from './start.js';

// Holders of a data directory, and the behaviour of a newcomer:
//
//   held by            newcomer is a server (own)        newcomer is a command (join-or-start)
//   no one             starts the database               starts the database, stops it afterwards
//   a server           refused                           joins its database
//   a command          waits until it is done            waits until it is done
//   an ending guardian waits until it has ended          waits until it has ended
//
// The lock is a flock(2) on `database.lock`, held by the guardian: the kernel lets go of it when the guardian ends,
// however that happens, so there is no stale lock to recognise, neither after a crash nor after a reboot. (An
// abstract socket would be as mortal, but another container on the same volume would not see it.)

const waitMs = 40_000;
const pollMs = 50;

export interface OpenOptions {
  readonly dataDir: string;
  /** `own`: a server that keeps the database for itself; `join-or-start`: a command, next to a server or alone. */
  readonly mode: 'own' | 'join-or-start';
  readonly log: Logger;
  readonly ephemeral?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

/** The database of a data directory, for as long as it is open. */
export interface OpenDataDirectory {
  readonly url: string;
  /** True if this process started the database, so that its `close` stops it. */
  readonly isOwner: boolean;
  /**
   * Resolves with the reason if the process's own database is lost for good without having been stopped; otherwise
   * never.
   */
  readonly lost: Promise<EmbeddedPostgresError>;
  /** May be called twice. */
  close(): Promise<void>;
}

/**
 * Starts or joins the embedded database of a data directory, waiting up to 40 s for one that is just stopping.
 * @throws DataDirectoryInUseError @throws EmbeddedPostgresError
 */
export async function openDataDirectory(options: OpenOptions): Promise<OpenDataDirectory> {
  const dataDir = path.resolve(options.dataDir);
  const purpose = options.mode === 'own' ? 'server' : 'command';
  const deadline = systemClock.monotonicMs() + waitMs;
  let isWaiting = false;
  for (;;) {
    // always first: only a process that does not get the lock may trust the running file
    const started = await tryStartEmbeddedPostgres({ ...options, purpose });
    if (started !== null) return { url: started.url, isOwner: true, lost: started.lost, close: started.stop };
    const running = await readRunningFile(dataDir);
    if (running?.purpose === 'server' && options.mode === 'own') await refuseWhileAlive(dataDir, running);
    if (running?.purpose === 'server' && options.mode === 'join-or-start' && (await isReachable(running.url))) {
      return { url: running.url, isOwner: false, lost: new Promise(() => {}), close: async () => {} };
    }
    if (!isWaiting) options.log.info({ dataDir }, 'waiting for the process that uses the data directory');
    isWaiting = true;
    if (systemClock.monotonicMs() > deadline) throw new DataDirectoryInUseError(dataDir, running?.ownerPid ?? null);
    await delay(systemClock, pollMs);
  }
}

async function isReachable(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (isUnavailable(error)) return false;
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}

/** A zombie was killed and not yet waited for by its parent; its guardian is stopping already. */
async function refuseWhileAlive(dataDir: string, { ownerPid }: RunningDatabase): Promise<void> {
  const status = await readFile(`/proc/${ownerPid}/stat`, 'utf8').catch(() => null);
  if (status !== null && !/^\d+ \(.*\) [ZX] /s.test(status)) throw new DataDirectoryInUseError(dataDir, ownerPid);
}
