import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0003-job-queue';

/** The tables and functions of the queue's library, in a schema of their own. */
export async function up(trx: Knex.Transaction): Promise<void> {
  // only here: the library takes 30 ms to load, and a database that has its tables needs none of it
  const { installJobQueue } = await import('../job-queue-schema.js');
  await installJobQueue(trx);
}
