import type { Knex } from 'knex';

/** Number of wrong passwords in a row under one key. */
export interface FailureRow {
  readonly key: string;
  readonly failures: number;
  readonly blocked_until: Date | null;
  readonly failed_at: Date;
}

/** Returns the counts of these keys, locked until the transaction ends; creates missing ones. */
export async function lockFailures(trx: Knex.Transaction, keys: readonly string[], at: Date): Promise<FailureRow[]> {
  const sorted = [...keys].sort();
  await trx.raw(
    `INSERT INTO sign_in_failures (key, failures, failed_at) SELECT key, 0, ? FROM unnest(?::text[]) AS key ORDER BY key
     ON CONFLICT DO NOTHING`,
    [at, sorted],
  );
  return trx('sign_in_failures').whereIn('key', sorted).orderBy('key').forUpdate().select<FailureRow[]>('*');
}

/** Returns the counts of an account under all its keys, and of one network, locked until the transaction ends. */
export async function lockAccountFailures(
  trx: Knex.Transaction,
  { account, network }: { account: string; network: string },
): Promise<FailureRow[]> {
  // keys of an account continue with a space; "!" is the next character
  const ofAccount = trx('sign_in_failures').where('key', '>=', `${account} `).where('key', '<', `${account}!`);
  // in the order of lockFailures: two transactions never wait for each other
  return ofAccount.orWhere({ key: network }).orderBy('key').forUpdate().select<FailureRow[]>('*');
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

/** Subtracts one failure from each count, and ends the wait that it started; deletes counts of zero. */
export async function takeBackFailures(trx: Knex.Transaction, counted: readonly FailureRow[]): Promise<void> {
  // in the order of lockFailures
  for (const { key, blocked_until } of counted.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    await trx('sign_in_failures')
      .where({ key })
      .update({
        failures: trx.raw('greatest(failures - 1, 0)'),
        blocked_until: trx.raw('nullif(blocked_until, ?::timestamptz)', [blocked_until]),
      });
    await trx('sign_in_failures').where({ key, failures: 0 }).delete();
  }
}

/** Deletes counts whose last failure was before an instant. */
export async function deleteOldFailures(db: Knex, before: Date): Promise<void> {
  await db('sign_in_failures').where('failed_at', '<', before).delete();
}

/** A network that was admitted to an account by mail. */
export interface PassRow {
  readonly user_id: string;
  /** A hash. */
  readonly network: string;
  readonly expires_at: Date;
}

/** Stores a pass, or extends the one of the same account and network. */
export async function insertPass(trx: Knex, pass: PassRow): Promise<void> {
  await trx('sign_in_passes').insert(pass).onConflict(['user_id', 'network']).merge(['expires_at']);
}

/** True if a pass of this account and network is valid at an instant. */
export async function hasPass(
  db: Knex,
  { userId, network, at }: { userId: string; network: string; at: Date },
): Promise<boolean> {
  const pass = await db('sign_in_passes')
    .where({ user_id: userId, network })
    .where('expires_at', '>', at)
    .first('network');
  return pass !== undefined;
}

/** Deletes passes that expired before an instant. */
export async function deleteOldPasses(db: Knex, before: Date): Promise<void> {
  await db('sign_in_passes').where('expires_at', '<', before).delete();
}
