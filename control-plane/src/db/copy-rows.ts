import type { Readable, Writable } from 'node:stream';
import type { Knex } from 'knex';
import type pg from 'pg';
import { from, to } from 'pg-copy-streams';

/** Runs COPY … TO STDOUT in a transaction. To be read to its end before the next statement. */
export async function copyOut(trx: Knex.Transaction, statement: string): Promise<Readable> {
  return (await connectionOf(trx)).query(to(statement));
}

/** Runs COPY … FROM STDIN in a transaction. To be ended before the next statement. */
export async function copyIn(trx: Knex.Transaction, statement: string): Promise<Writable> {
  return (await connectionOf(trx)).query(from(statement));
}

/** Connection of a transaction, which stays the transaction's. */
function connectionOf(trx: Knex.Transaction): Promise<pg.Client> {
  return trx.client.acquireConnection();
}
