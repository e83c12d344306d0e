import pg from 'pg';

const CONNECT_MS = 5_000;
/** A connection that swallows what is sent on it must not hold up who waits for it to close. */
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
 * A pool for a library that brings its own SQL; everybody else takes `openDatabase`. Connects on first use. A lost
 * connection shows up as a failed query. The caller ends it by `end()`.
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
  // without a listener the loss of an idle connection, or of one that is taken out, would end the process
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
