import type { Knex } from 'knex';

/** Tables of credentials, by kind. */
export type CredentialTable = 'sessions' | 'personal_access_tokens' | 'api_keys';

const tables: readonly CredentialTable[] = ['sessions', 'personal_access_tokens', 'api_keys'];

const FIND_REVOKED = tables
  .map((table) => `SELECT '${table}' AS "table" FROM ${table} WHERE id = :id AND revoked_at IS NOT NULL`)
  .join(' UNION ALL ');

/** Table of the credential with this id if it is revoked; null if it is not, or does not exist. */
export async function findRevoked(trx: Knex, id: string): Promise<CredentialTable | null> {
  const { rows } = await trx.raw<{ rows: { table: CredentialTable }[] }>(FIND_REVOKED, { id });
  return rows[0]?.table ?? null;
}
