import { EventEmitter } from 'node:events';
import { Logger, runMigrations } from 'graphile-worker';
import type { Knex } from 'knex';
import type { PlainPool } from './plain-pool.js';

/** Schema with the tables and functions of the queue's library. */
export const jobQueueSchema = 'vantage_jobs';

/**
 * Brings the queue's schema to the version of the library, inside of `trx`: all of it or nothing. To be called by a new
 * migration of ours whenever the library has new ones.
 */
export async function installJobQueue(trx: Knex.Transaction): Promise<void> {
  const connection: Connection = await trx.client.acquireConnection();
  await runMigrations({ pgPool: poolOf(connection), schema: jobQueueSchema, logger: new Logger(() => () => {}) });
}

interface Connection {
  query(...statement: readonly unknown[]): Promise<unknown>;
}

// runs the library's own transactions inside ours
const asSavepoint: ReadonlyMap<unknown, string> = new Map([
  ['begin', 'savepoint library'],
  ['commit', 'release savepoint library'],
  ['rollback', 'rollback to savepoint library'],
]);

/** A pool that has nothing but the connection of a transaction. */
function poolOf(connection: Connection): PlainPool {
  let isInside = false;
  const query = async (...statement: readonly unknown[]): Promise<unknown> => {
    const savepoint = asSavepoint.get(statement[0]);
    if (savepoint !== undefined) {
      isInside = statement[0] === 'begin';
      return connection.query(savepoint);
    }
    return isInside ? connection.query(...statement) : attempt(connection, statement);
  };
  const pool = Object.assign(new EventEmitter(), { connect: async () => ({ query, release() {} }) });
  // the library warns about pools without an error listener; the owner of the transaction listens
  pool.on('error', () => {}).on('connect', () => {});
  return pool as unknown as PlainPool;
}

/** The library asks for its tables to see whether they are there: a statement may fail without the transaction failing. */
async function attempt(connection: Connection, statement: readonly unknown[]): Promise<unknown> {
  await connection.query('savepoint attempt');
  try {
    return await connection.query(...statement);
  } catch (error) {
    await connection.query('rollback to savepoint attempt');
    throw error;
  } finally {
    await connection.query('release savepoint attempt');
  }
}
