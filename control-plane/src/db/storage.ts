import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { type DatabaseOptions, openDatabase } from './database.js';
import { checkHasDatabase, openDataDirectory } from './embedded/index.js';

/** An open database, embedded or external. */
export interface Storage {
  readonly db: Knex;
  readonly url: string;
  /** True if no other process can reach this database except through this one. */
  readonly isOwned: boolean;
  /** Resolves with the reason if the process's own database is lost for good; otherwise never. */
  readonly lost: Promise<Error>;
  close(): Promise<void>;
}

interface StorageOptions {
  readonly config: Config;
  readonly log: Logger;
  /** `own`: a server; `join-or-start`: a command, next to a running server or alone. */
  readonly mode: 'own' | 'join-or-start';
  readonly poolSize: number;
  /** Callers that may wait for one of its connections at once. Default: any number. */
  readonly maxWaiting?: number;
  /** Longest wait for one of its connections, in ms; default: that of the mode. */
  readonly acquireTimeoutMs?: number | undefined;
  /** Directory around the data directory that is removed when the embedded database has stopped. */
  readonly ephemeral?: string;
}

/**
 * Longest wait for a connection by a command: its user would rather wait than type it again, which no other caller
 * would.
 */
const COMMAND_ACQUIRE_MS = 20_000;

// prepared statements are planned once per connection: planning over the partitions costs more than running
const settings = { plan_cache_mode: 'force_generic_plan' };

/**
 * Opens a pool on an open database, with the settings that the statements were planned for. The caller ends it by
 * `destroy()`.
 */
export function openPool(options: DatabaseOptions): Knex {
  return openDatabase({ ...options, settings: { ...settings, ...options.settings } });
}

/**
 * Opens the configured database, or the embedded one of the data directory, which only a server creates.
 * @throws DataDirectoryInUseError, NoDatabaseError, EmbeddedPostgresError
 */
export async function openStorage({
  config,
  log,
  mode,
  poolSize,
  maxWaiting,
  acquireTimeoutMs,
  ephemeral,
}: StorageOptions): Promise<Storage> {
  const applicationName = mode === 'own' ? 'vantage-control' : 'vantage-control command';
  const pool = {
    poolSize,
    applicationName,
    ...(maxWaiting === undefined ? {} : { maxWaiting }),
    acquireTimeoutMs: acquireTimeoutMs ?? (mode === 'own' ? undefined : COMMAND_ACQUIRE_MS),
  };
  if (config.databaseUrl !== null) {
    const db = openPool({ url: config.databaseUrl, ...pool });
    return { db, url: config.databaseUrl, isOwned: false, lost: new Promise(() => {}), close: () => db.destroy() };
  }
  if (mode === 'join-or-start') await checkHasDatabase(config.dataDir);
  const directory = await openDataDirectory({
    dataDir: config.dataDir,
    mode,
    log,
    ...(ephemeral === undefined ? {} : { ephemeral }),
  });
  const db = openPool({ url: directory.url, ...pool });
  return {
    db,
    url: directory.url,
    isOwned: mode === 'own' && directory.isOwner,
    lost: directory.lost,
    async close() {
      await db.destroy();
      await directory.close();
    },
  };
}
