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

/**
 * Opens a pool for a library with SQL of its own; all other code uses `openDatabase`. Connects on first use. A lost
 * connection shows as a failed query. The caller ends it by `end()`.
 */
export function openPlainPool({ url, poolSize, applicationName }: PlainPoolOptions): PlainPool {
  const pool = new pg.Pool({
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
