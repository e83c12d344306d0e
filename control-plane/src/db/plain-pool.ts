import pg from 'pg';

const CONNECT_MS = 5_000;
/**
 * Longest time of a query, in milliseconds: a connection that loses packets must not delay a caller that waits for it
 * to close.
 */
const QUERY_MS = 15_000;

/** A pool of plain connections. */
export type PlainPool = pg.Pool;

export interface PlainPoolOptions {
  readonly url: string;
  /** Connections at most. */
  readonly poolSize: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
}

type OnConnection = Parameters<pg.Pool['connect']>[0];

/**
 * Pool for a library that asks for a connection with a callback, and mistakes what follows when the connection is lost while the
 * library stops: it releases it twice, where an error ends the process, and asks an ended pool again and again.
 */
class ForgivingPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: OnConnection): void;
  override connect(callback?: OnConnection): Promise<pg.PoolClient> | void {
    if (callback === undefined) return super.connect();
    if (this.ending) return;
    super.connect((error, client, release) => callback(error, client, once(release)));
  }
}

function once(release: (error?: Error | boolean) => void): (error?: Error | boolean) => void {
  let isReleased = false;
  return (error) => {
    if (isReleased) return;
    isReleased = true;
    release(error);
  };
}

/**
 * Opens a pool for a library with SQL of its own; all other code uses `openDatabase`. Connects on first use. A lost
 * connection shows as a failed query. The caller ends it by `end()`.
 */
export function openPlainPool({ url, poolSize, applicationName }: PlainPoolOptions): PlainPool {
  const pool = new ForgivingPool({
    connectionString: url,
    max: poolSize,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    keepAlive: true,
  });
  // without a listener, the loss of an idle or acquired connection would end the process
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
