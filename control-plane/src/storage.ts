import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import { openDatabase } from './db/database.js';
import { openDataDirectory } from './db/embedded/index.js';

/** An open database, embedded or external. */
export interface Storage {
  readonly db: Knex;
  readonly url: string;
  /** No other process can reach this database but through this one. */
  readonly isOwned: boolean;
  /** Resolves with why when an own database is gone for good; else never. */
  readonly lost: Promise<Error>;
  close(): Promise<void>;
}

interface StorageOptions {
  readonly config: Config;
  readonly log: Logger;
  /** `own`: a server; `join-or-start`: a command, beside a running server or on its own. */
  readonly mode: 'own' | 'join-or-start';
  readonly poolSize: number;
  /** A directory around the data directory that is removed when the embedded database has stopped. */
  readonly ephemeral?: string;
}

// prepared statements are planned once per connection: planning over the partitions costs more than running
const settings = { plan_cache_mode: 'force_generic_plan' };

/** Opens the configured database, or the embedded one of the data directory. @throws DataDirectoryInUseError, EmbeddedPostgresError */
export async function openStorage({ config, log, mode, poolSize, ephemeral }: StorageOptions): Promise<Storage> {
  const applicationName = mode === 'own' ? 'vantage-control' : 'vantage-control command';
  if (config.databaseUrl !== null) {
    const db = openDatabase({ url: config.databaseUrl, poolSize, applicationName, settings });
    return { db, url: config.databaseUrl, isOwned: false, lost: new Promise(() => {}), close: () => db.destroy() };
  }
  const directory = await openDataDirectory({
    dataDir: config.dataDir,
    mode,
    log,
    ...(ephemeral === undefined ? {} : { ephemeral }),
  });
  const db = openDatabase({ url: directory.url, poolSize, applicationName, settings });
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
