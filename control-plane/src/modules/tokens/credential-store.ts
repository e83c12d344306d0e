import type { Knex } from 'knex';
import { OWNER_COLUMNS, type OwnerRow } from '../../authentication/index.js';
import { queryPrepared } from '../../db/prepared.js';
import type { Scope } from '../../http/scopes.js';
import type { ApiKeyScope, TokenTable } from './store.js';

/** Notes a use unless one was noted within the last minute, by whichever replica. */
export async function noteUse(db: Knex, table: TokenTable, id: string, now: Date): Promise<void> {
  await db.raw(
    `UPDATE ?? SET last_used_at = ?
     WHERE id = ? AND (last_used_at IS NULL OR last_used_at <= ?::timestamptz - interval '1 minute')`,
    [table, now, id, now],
  );
}

interface CredentialRow extends OwnerRow {
  readonly id: string;
  readonly secret_hash: Buffer;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}

/** What requests ask of an API key. */
export interface ApiKeyCredentialRow extends CredentialRow {
  readonly scopes: ApiKeyScope[];
  readonly type: 'production' | 'test';
  readonly allowed_origins: string[];
}

/** What requests ask of a personal access token. */
export interface PersonalTokenCredentialRow extends CredentialRow {
  readonly scopes: Scope[];
}

const CREDENTIAL_COLUMNS = `t.id, t.secret_hash, t.scopes, t.expires_at, t.revoked_at, ${OWNER_COLUMNS}`;

const FIND_API_KEY = {
  name: 'find-api-key',
  text: `SELECT ${CREDENTIAL_COLUMNS}, t.type, t.allowed_origins
    FROM api_keys t JOIN users u ON u.id = t.user_id WHERE t.token_id = $1`,
};

const FIND_PERSONAL_TOKEN = {
  name: 'find-personal-token',
  text: `SELECT ${CREDENTIAL_COLUMNS}
    FROM personal_access_tokens t JOIN users u ON u.id = t.user_id WHERE t.token_id = $1`,
};

/** The key with this public id and its owner, or null. */
export async function findApiKey(db: Knex, tokenId: string): Promise<ApiKeyCredentialRow | null> {
  const [row] = await queryPrepared<ApiKeyCredentialRow>(db, FIND_API_KEY, [tokenId]);
  return row ?? null;
}

/** The token with this public id and its owner, or null. */
export async function findPersonalToken(db: Knex, tokenId: string): Promise<PersonalTokenCredentialRow | null> {
  const [row] = await queryPrepared<PersonalTokenCredentialRow>(db, FIND_PERSONAL_TOKEN, [tokenId]);
  return row ?? null;
}
