import type { Knex } from 'knex';
import { type Client, DatabaseError, escapeIdentifier, type QueryResultRow } from 'pg';

/** A statement parsed and planned once per connection: for the hot roads, where planning would cost more than running. */
export interface PreparedStatement {
  /** Unique among all prepared statements. */
  readonly name: string;
  /** SQL with $1, $2, …. */
  readonly text: string;
  /**
   * Day, since the epoch, whose date the text holds, if it does. A plan that is kept opens every partition that a bound date might
   * choose, which are hundreds; a date in the text leaves those of its days. The statement of the day before yesterday is forgotten.
   */
  readonly day?: number;
}

/** Runs a prepared statement on a pooled connection, or on the one of a transaction. */
export function queryPrepared<R extends QueryResultRow>(
  db: Knex,
  statement: PreparedStatement,
  values: readonly unknown[],
): Promise<R[]> {
  return query(db, statement, values);
}

/** As `queryPrepared`, for a text that is not worth the memory of a plan: it has no name, and is planned each time. */
export function queryUnprepared<R extends QueryResultRow>(
  db: Knex,
  text: string,
  values: readonly unknown[],
): Promise<R[]> {
  return query(db, { text }, values);
}

async function query<R extends QueryResultRow>(
  db: Knex,
  { name, text, day }: { readonly name?: string; readonly text: string; readonly day?: number },
  values: readonly unknown[],
): Promise<R[]> {
  const connection: Client = await db.client.acquireConnection();
  try {
    const dayName = name === undefined || day === undefined ? name : await nameOfDay(connection, name, day);
    const { rows } = await connection.query<R>({ name: dayName, text, values: [...values] });
    return rows;
  } catch (error) {
    // its server process has ended, which the socket reports a moment later: the next one who is given it would fail
    if (error instanceof DatabaseError && error.severity === 'FATAL') dispose(connection, error);
    throw error;
  } finally {
    await db.client.releaseConnection(connection);
  }
}

const daysPrepared = new WeakMap<Client, Map<string, Set<number>>>();

/** Name of a day's statement; the connection forgets those that are older than a day. */
async function nameOfDay(connection: Client, name: string, day: number): Promise<string> {
  const byName = daysPrepared.get(connection) ?? new Map<string, Set<number>>();
  daysPrepared.set(connection, byName);
  const days = byName.get(name) ?? new Set<number>();
  byName.set(name, days);
  for (const old of [...days].filter((other) => other < day - 1)) {
    days.delete(old);
    await connection.query(`DEALLOCATE ${escapeIdentifier(`${name}@${old}`)}`);
  }
  days.add(day);
  return `${name}@${day}`;
}

/** Mark by which knex itself keeps its pool from handing a connection out, once the socket has ended. */
const DISPOSED = '__knex__disposed';

function dispose(connection: Client, error: Error): void {
  Object.assign(connection, { [DISPOSED]: error });
}

/** As `queryPrepared`, but rejects with the signal's reason when aborted: a connection that does not answer is cut. */
export async function queryWithin<R extends QueryResultRow>(
  db: Knex,
  query: PreparedStatement & { readonly values: readonly unknown[] },
  signal: AbortSignal,
): Promise<R[]> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([queryUntilCut<R>(db, query, signal), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function queryUntilCut<R extends QueryResultRow>(
  db: Knex,
  query: PreparedStatement & { readonly values: readonly unknown[] },
  signal: AbortSignal,
): Promise<R[]> {
  const connection: Client = await db.client.acquireConnection();
  // while a query runs, pg ends a connection by destroying its socket
  const cut = () => void connection.end();
  try {
    signal.throwIfAborted();
    signal.addEventListener('abort', cut, { once: true });
    const { rows } = await connection.query<R>({ ...query, values: [...query.values] });
    return rows;
  } finally {
    signal.removeEventListener('abort', cut);
    await db.client.releaseConnection(connection);
  }
}
