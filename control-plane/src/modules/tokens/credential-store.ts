import type { Knex } from 'knex';
import { HOLDER_COLUMNS, type HolderRow } from '../../authentication/index.js';
import { findRow } from '../../db/row-by-key.js';
import type { Scope } from '../../http/scopes.js';
import type { ApiKeyScope, TokenTable } from './store.js';

/** Stores the time of a use, unless any replica stored one within the last minute. */
export async function noteUse(db: Knex, table: TokenTable, id: string, now: Date): Promise<void> {
  await db.raw(
    `UPDATE ?? SET last_used_at = ?
     WHERE id = ? AND (last_used_at IS NULL OR last_used_at <= ?::timestamptz - interval '1 minute')`,
    [table, now, id, now],
  );
}

interface CredentialRow extends HolderRow {
  readonly id: string;
  readonly secret_hash: Buffer;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}

/** Row of an API key, for authentication. */
export interface ApiKeyCredentialRow extends CredentialRow {
  readonly created_by: string;
  readonly scopes: ApiKeyScope[];
  readonly type: 'production' | 'test';
  readonly allowed_origins: string[];
}

/** Row of a personal access token, for authentication. */
export interface PersonalTokenCredentialRow extends CredentialRow {
  readonly user_id: string;
  readonly scopes: Scope[];
}

const CREDENTIAL_COLUMNS = `t.token_id AS key, t.id, t.secret_hash, t.scopes, t.expires_at, t.revoked_at, ${HOLDER_COLUMNS}`;

const FIND_API_KEY = {
  name: 'find-api-key',
  text: `SELECT ${CREDENTIAL_COLUMNS}, t.created_by, t.type, t.allowed_origins
    FROM api_keys t JOIN owners o ON o.id = t.owner_id LEFT JOIN users u ON u.id = o.id WHERE t.token_id = ANY($1)`,
};

const FIND_PERSONAL_TOKEN = {
  name: 'find-personal-token',
  text: `SELECT ${CREDENTIAL_COLUMNS}
    FROM personal_access_tokens t JOIN users u ON u.id = t.user_id JOIN owners o ON o.id = u.id WHERE t.token_id = ANY($1)`,
};

/** Finds the key with this public id, and its owner; null if there is no such key. */
export async function findApiKey(db: Knex, tokenId: string): Promise<ApiKeyCredentialRow | null> {
  return findRow<ApiKeyCredentialRow>(db, FIND_API_KEY, tokenId);
}

/** Finds the token with this public id, and its owner; null if there is no such token. */
export async function findPersonalToken(db: Knex, tokenId: string): Promise<PersonalTokenCredentialRow | null> {
  return findRow<PersonalTokenCredentialRow>(db, FIND_PERSONAL_TOKEN, tokenId);
}
