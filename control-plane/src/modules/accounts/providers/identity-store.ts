import type { Knex } from 'knex';
import type { IdentityRow } from '../factors/factor-store.js';

/** Finds the external account of a provider; null if it is not linked. */
export async function findIdentity(db: Knex, provider: string, subject: string): Promise<IdentityRow | null> {
  return (await db('identities').where({ provider, subject }).first<IdentityRow | undefined>()) ?? null;
}

/** Links an external account; null if it is linked already. */
export async function insertIdentity(trx: Knex, row: IdentityRow): Promise<IdentityRow | null> {
  const [inserted] = await trx('identities')
    .insert(row)
    .onConflict(['provider', 'subject'])
    .ignore()
    .returning<IdentityRow[]>('*');
  return inserted ?? null;
}

/** Stores the use of an external account; null if it was unlinked meanwhile. */
export async function noteIdentityUse(
  trx: Knex,
  id: string,
  used: Pick<IdentityRow, 'label' | 'last_used_at'>,
): Promise<IdentityRow | null> {
  const [row] = await trx('identities').where({ id }).update(used).returning<IdentityRow[]>('*');
  return row ?? null;
}

/** Unlinks an external account of a user, and returns it; null if there is none with this id. */
export async function deleteIdentity(trx: Knex, userId: string, id: string): Promise<IdentityRow | null> {
  const [row] = await trx('identities').where({ id, user_id: userId }).delete().returning<IdentityRow[]>('*');
  return row ?? null;
}
