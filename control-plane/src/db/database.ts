import knex, { type Knex } from 'knex';
import pg from 'pg';
import { parse as parseArray } from 'postgres-array';
import parseTimestamp from 'postgres-date';

export interface DatabaseOptions {
  /** `postgres://user:password@host/database`; `?host=/directory` for a Unix socket. */
  readonly url: string;
  /** Connections at most. */
  readonly poolSize: number;
  /** Callers that may wait for a connection at once, at least 1; one more is refused. Default: any number. */
  readonly maxWaiting?: number;
  /**
   * Longest wait of a caller for a free or new connection before the database counts as unavailable, in ms.
   * Default: 5 000.
   */
  readonly acquireTimeoutMs?: number | undefined;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Server settings of every connection, over the defaults below: `{ statement_timeout: '5s' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

const defaultSettings = {
  // no statement runs longer on purpose; migrations lift the limit
  statement_timeout: '30s',
  idle_in_transaction_session_timeout: '60s',
};

/**
 * A pool on one PostgreSQL database; connects on first use. int8 and numeric arrive as numbers (a value that a number
 * can't hold fails the query), json parsed, timestamps as Date. The caller ends it by `destroy()`.
 */
export function openDatabase(options: DatabaseOptions): Knex {
  const settings = Object.entries({ ...defaultSettings, ...options.settings });
  const { acquireTimeoutMs = 5_000 } = options;
  const db = knex({
    client: 'pg',
    connection: {
      connectionString: options.url,
      application_name: options.applicationName,
      connectionTimeoutMillis: acquireTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      types: columnTypes,
    },
    acquireConnectionTimeout: acquireTimeoutMs,
    // lost connections show up as failed queries, which their callers report
    log: { warn() {}, error() {}, deprecate() {}, debug() {} },
    pool: {
      min: 0,
      max: options.poolSize,
      afterCreate: (connection: pg.Client, done: (error: Error | null, connection: pg.Client) => void) => {
        applySettings(connection, settings).then(
          () => done(null, connection),
          (error: Error) => done(error, connection),
        );
      },
    },
  });
  if (options.maxWaiting !== undefined) limitWaiting(db, options.maxWaiting);
  return db;
}

/** More callers wait for a connection than could get one in time. */
export class DatabaseBusyError extends Error {
  override readonly name = 'DatabaseBusyError';
  constructor() {
    super('too many callers wait for a database connection');
  }
}

/**
 * Limits the callers that wait: in a queue that only grows everyone times out, and knex's pool slows down with its
 * length.
 */
function limitWaiting(db: Knex, maxWaiting: number): void {
  const acquire = db.client.acquireConnection.bind(db.client);
  db.client.acquireConnection = async () => {
    // no pool after destroy(): knex reports that itself
    if (db.client.pool?.numPendingAcquires() >= maxWaiting) throw new DatabaseBusyError();
    return acquire();
  };
}

/** The database is read-only: a standby that is not promoted yet, or one that was set so. */
export class ReadOnlyDatabaseError extends Error {
  override readonly name = 'ReadOnlyDatabaseError';
  constructor() {
    super('the database takes no writes: a standby, or set to read only');
  }
}

/** Resolves when the database replies and accepts writes. @throws ReadOnlyDatabaseError */
export async function checkDatabase(db: Knex): Promise<void> {
  const { rows } = await db.raw<{ rows: { transaction_read_only: string }[] }>('SHOW transaction_read_only');
  if (rows[0]?.transaction_read_only === 'on') throw new ReadOnlyDatabaseError();
}

/** Type of `text[]`. */
const TEXT_ARRAY = 1009;

/**
 * Parsers of one connection, so that importing this file changes nothing for other users of the driver. Timestamps and `text[]`
 * have current versions of the driver's own parsers, which take a half and a sixth of the time.
 */
const columnTypes: Knex.PgCustomTypesConfig = {
  getTypeParser(oid, format) {
    if (format === 'binary') return pg.types.getTypeParser(oid, format);
    if (oid === pg.types.builtins.INT8) return parseSafeInteger;
    if (oid === pg.types.builtins.NUMERIC) return Number;
    if (oid === pg.types.builtins.TIMESTAMPTZ) return parseTimestamp;
    if (oid === TEXT_ARRAY) return parseTexts;
    return pg.types.getTypeParser(oid);
  },
};

// by itself, it would take the driver's second argument for a transformation
function parseTexts(text: string): string[] {
  return parseArray(text);
}

function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 value ${text} does not fit a number`);
  return value;
}

/** After connecting and not as start-up options, which the URL may carry too and poolers refuse. */
async function applySettings(connection: pg.Client, settings: readonly [string, string][]): Promise<void> {
  const names = settings.map(([name]) => name);
  const values = settings.map(([, value]) => value);
  await connection.query(
    'select set_config(name, value, false) from unnest($1::text[], $2::text[]) as s(name, value)',
    [names, values],
  );
}
