import type { Knex } from 'knex';

/** Wrong passwords in a row under one key. */
export interface FailureRow {
  readonly key: string;
  readonly failures: number;
  readonly blocked_until: Date | null;
  readonly failed_at: Date;
}

/** The counts of these keys, made where there were none, locked until the transaction ends. */
export async function lockFailures(trx: Knex.Transaction, keys: readonly string[], at: Date): Promise<FailureRow[]> {
  const sorted = [...keys].sort();
  await trx.raw(
    `INSERT INTO sign_in_failures (key, failures, failed_at) SELECT key, 0, ? FROM unnest(?::text[]) AS key ORDER BY key
     ON CONFLICT DO NOTHING`,
    [at, sorted],
  );
  return trx('sign_in_failures').whereIn('key', sorted).orderBy('key').forUpdate().select<FailureRow[]>('*');
}

export async function updateFailures(trx: Knex, row: FailureRow): Promise<void> {
  const { key, ...changes } = row;
  await trx('sign_in_failures').where({ key }).update(changes);
}

export async function deleteFailures(trx: Knex, keys: readonly string[]): Promise<void> {
  await trx('sign_in_failures')
    .whereIn('key', [...keys])
    .delete();
}

/** Takes back one failure of each key. */
export async function takeBackFailures(trx: Knex, keys: readonly string[]): Promise<void> {
  await trx('sign_in_failures')
    .whereIn('key', [...keys])
    .update({ failures: trx.raw('greatest(failures - 1, 0)'), blocked_until: null });
}

/** Deletes what is forgotten anyway. */
export async function deleteOldFailures(db: Knex, before: Date): Promise<void> {
  await db('sign_in_failures').where('failed_at', '<', before).delete();
}
