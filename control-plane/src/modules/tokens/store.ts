import type { Knex } from 'knex';
import type { apiKeyScopes, Scope } from '../../http/scopes.js';

/** What an API key may carry. */
export type ApiKeyScope = (typeof apiKeyScopes)[number];

/** Where the secrets are that people make for their programs; both tables have the columns of TokenRow. */
export type TokenTable = 'api_keys' | 'personal_access_tokens';

/** What lists show of a token, whatever its kind. */
interface TokenRow {
  readonly id: string;
  readonly token_id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
}

/** An API key, as far as lists show it. */
export interface ApiKeyRow extends TokenRow {
  readonly scopes: ApiKeyScope[];
  readonly type: 'production' | 'test';
  readonly allowed_origins: string[];
}

/** A personal access token, as far as lists show it. */
export interface PersonalTokenRow extends TokenRow {
  readonly scopes: Scope[];
}

/** A token to store: its public id and the hash of its secret, never the secret. */
export interface NewToken {
  readonly id: string;
  readonly token_id: string;
  readonly secret_hash: Buffer;
  readonly user_id: string;
  readonly name: string;
  readonly scopes: readonly (Scope | ApiKeyScope)[];
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

const TOKEN_COLUMNS = 'id, token_id, name, scopes, created_at, expires_at, revoked_at, last_used_at'.split(', ');
const API_KEY_COLUMNS = [...TOKEN_COLUMNS, 'type', 'allowed_origins'];

/** Stores a key; answers it as lists show it. */
export async function insertApiKey(
  trx: Knex,
  key: NewToken & Pick<ApiKeyRow, 'type' | 'allowed_origins'>,
): Promise<ApiKeyRow> {
  const [row] = await trx('api_keys').insert(key).returning<ApiKeyRow[]>(API_KEY_COLUMNS);
  if (!row) throw new Error('insert returned no row');
  return row;
}

/** Stores a token; answers it as lists show it. */
export async function insertPersonalToken(trx: Knex, token: NewToken): Promise<PersonalTokenRow> {
  const [row] = await trx('personal_access_tokens').insert(token).returning<PersonalTokenRow[]>(TOKEN_COLUMNS);
  if (!row) throw new Error('insert returned no row');
  return row;
}

interface Slice {
  readonly limit: number;
  readonly offset: number;
}

/** Keys of a user, newest first. */
export async function listApiKeys(db: Knex, userId: string, { limit, offset }: Slice): Promise<ApiKeyRow[]> {
  return db('api_keys')
    .where({ user_id: userId })
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .select<ApiKeyRow[]>(API_KEY_COLUMNS);
}

/** Tokens of a user, newest first. */
export async function listPersonalTokens(
  db: Knex,
  userId: string,
  { limit, offset }: Slice,
): Promise<PersonalTokenRow[]> {
  return db('personal_access_tokens')
    .where({ user_id: userId })
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .select<PersonalTokenRow[]>(TOKEN_COLUMNS);
}

/** Everybody's tokens, newest first; `email` is null of an account that was deleted. */
export async function listAllPersonalTokens(
  db: Knex,
): Promise<(PersonalTokenRow & { readonly email: string | null })[]> {
  return db('personal_access_tokens as t')
    .join('users as u', 'u.id', 't.user_id')
    .orderBy('t.id', 'desc')
    .select([...TOKEN_COLUMNS.map((column) => `t.${column}`), 'u.email']);
}

/** How many a user has, revoked and expired ones among them. */
export async function countTokens(db: Knex, table: TokenTable, userId: string): Promise<number> {
  const [row] = await db(table).where({ user_id: userId }).count<{ n: number }[]>('* as n');
  return row?.n ?? 0;
}

/** How many of a user's would be accepted now. */
export async function countUsableTokens(trx: Knex, table: TokenTable, userId: string, now: Date): Promise<number> {
  const [row] = await trx(table)
    .where({ user_id: userId, revoked_at: null })
    .andWhere((ends) => ends.whereNull('expires_at').orWhere('expires_at', '>', now))
    .count<{ n: number }[]>('* as n');
  return row?.n ?? 0;
}

/** Lets one transaction at a time make tokens of this user. @throws Error when there is no such user */
export async function lockOwner(trx: Knex, userId: string): Promise<void> {
  const { rows } = await trx.raw('SELECT 1 FROM users WHERE id = ? FOR NO KEY UPDATE', [userId]);
  if (rows.length === 0) throw new Error(`no user "${userId}"`);
}

/** Revokes a user's token (anybody's for null). `already`: it was before; `missing`: there is none. */
export async function revokeToken(
  trx: Knex,
  table: TokenTable,
  { id, userId, now }: { readonly id: string; readonly userId: string | null; readonly now: Date },
): Promise<{ readonly userId: string } | 'already' | 'missing'> {
  const mine = trx(table).where(userId === null ? { id } : { id, user_id: userId });
  const [revoked] = await mine
    .clone()
    .whereNull('revoked_at')
    .update({ revoked_at: now })
    .returning<{ user_id: string }[]>('user_id');
  if (revoked) return { userId: revoked.user_id };
  return (await mine.first('id')) ? 'already' : 'missing';
}

/** Deletes tokens of either kind that were revoked or expired before an instant. */
export async function deleteTokensEndedBefore(db: Knex, before: Date): Promise<void> {
  const tables: readonly TokenTable[] = ['api_keys', 'personal_access_tokens'];
  for (const table of tables)
    await db(table).where('expires_at', '<', before).orWhere('revoked_at', '<', before).delete();
}
