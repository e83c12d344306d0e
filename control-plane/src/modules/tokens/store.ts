import type { Knex } from 'knex';
import { type CountedPage, type PageRange, queryPage } from '../../db/named.js';
import type { apiKeyScopes, Scope } from '../../http/scopes.js';

/** Scope that an API key may have. */
export type ApiKeyScope = (typeof apiKeyScopes)[number];

/** Table of API keys or personal access tokens; both have the columns of TokenRow. */
export type TokenTable = 'api_keys' | 'personal_access_tokens';

/** Columns that lists show of tokens of both kinds. */
interface TokenRow {
  readonly id: string;
  readonly token_id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
}

/** Columns that lists show of an API key. */
export interface ApiKeyRow extends TokenRow {
  readonly scopes: ApiKeyScope[];
  readonly type: 'production' | 'test';
  readonly allowed_origins: string[];
}

/** Columns that lists show of a personal access token. */
export interface PersonalTokenRow extends TokenRow {
  readonly scopes: Scope[];
}

/** A token to be stored: its public id and the hash of its secret, without the secret. */
export interface NewToken {
  readonly id: string;
  readonly token_id: string;
  readonly secret_hash: Buffer;
  readonly name: string;
  readonly scopes: readonly (Scope | ApiKeyScope)[];
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

const TOKEN_COLUMNS = 'id, token_id, name, scopes, created_at, expires_at, revoked_at, last_used_at'.split(', ');
const API_KEY_COLUMNS = [...TOKEN_COLUMNS, 'type', 'allowed_origins'];

/** Stores a key, and returns the columns that lists show. */
export async function insertApiKey(
  trx: Knex,
  key: NewToken &
    Pick<ApiKeyRow, 'type' | 'allowed_origins'> & { readonly owner_id: string; readonly created_by: string },
): Promise<ApiKeyRow> {
  const [row] = await trx('api_keys').insert(key).returning<ApiKeyRow[]>(API_KEY_COLUMNS);
  if (!row) throw new Error('insert returned no row');
  return row;
}

/** Stores a token, and returns the columns that lists show. */
export async function insertPersonalToken(
  trx: Knex,
  token: NewToken & { readonly user_id: string },
): Promise<PersonalTokenRow> {
  const [row] = await trx('personal_access_tokens').insert(token).returning<PersonalTokenRow[]>(TOKEN_COLUMNS);
  if (!row) throw new Error('insert returned no row');
  return row;
}

/** Column with the holder of a token: keys belong to owners, personal access tokens to users. */
const holderColumns = { api_keys: 'owner_id', personal_access_tokens: 'user_id' } as const;

/** Page of an owner's keys, newest first, and the number of all, including revoked and expired ones. */
export function listApiKeys(db: Knex, ownerId: string, page: PageRange): Promise<CountedPage<ApiKeyRow>> {
  return listTokens<ApiKeyRow>(db, { table: 'api_keys', columns: API_KEY_COLUMNS }, ownerId, page);
}

/** Page of a user's tokens, newest first, and the number of all, including revoked and expired ones. */
export function listPersonalTokens(db: Knex, userId: string, page: PageRange): Promise<CountedPage<PersonalTokenRow>> {
  const table = 'personal_access_tokens';
  return listTokens<PersonalTokenRow>(db, { table, columns: TOKEN_COLUMNS }, userId, page);
}

function listTokens<R extends TokenRow>(
  db: Knex,
  { table, columns }: { readonly table: TokenTable; readonly columns: readonly string[] },
  holderId: string,
  page: PageRange,
): Promise<CountedPage<R>> {
  const where = `${holderColumns[table]} = :holderId`;
  const query = { name: `${table}-list`, columns: columns.join(', '), from: table, where, orderBy: 'id DESC' };
  return queryPage<R>(db, query, { holderId, ...page });
}

/** Lists the tokens of all users, newest first; `email` is null for deleted accounts. */
export async function listAllPersonalTokens(
  db: Knex,
): Promise<(PersonalTokenRow & { readonly email: string | null })[]> {
  return db('personal_access_tokens as t')
    .join('users as u', 'u.id', 't.user_id')
    .orderBy('t.id', 'desc')
    .select([...TOKEN_COLUMNS.map((column) => `t.${column}`), 'u.email']);
}

/** Counts the tokens of an owner or a user that are valid now. */
export async function countUsableTokens(trx: Knex, table: TokenTable, holderId: string, now: Date): Promise<number> {
  const [row] = await trx(table)
    .where({ [holderColumns[table]]: holderId, revoked_at: null })
    .andWhere((ends) => ends.whereNull('expires_at').orWhere('expires_at', '>', now))
    .count<{ n: number }[]>('* as n');
  return row?.n ?? 0;
}

/** Revokes a token of an owner or a user (null for anyone). `already`: it was revoked before; `missing`: no such token. */
export async function revokeToken(
  trx: Knex,
  table: TokenTable,
  { id, holderId, now }: { readonly id: string; readonly holderId: string | null; readonly now: Date },
): Promise<{ readonly holderId: string } | 'already' | 'missing'> {
  const column = holderColumns[table];
  const mine = trx(table).where(holderId === null ? { id } : { id, [column]: holderId });
  const [revoked] = await mine
    .clone()
    .whereNull('revoked_at')
    .update({ revoked_at: now })
    .returning<Record<typeof column, string>[]>(column);
  if (revoked) return { holderId: revoked[column] };
  return (await mine.first('id')) ? 'already' : 'missing';
}

/** Deletes tokens of both kinds that were revoked or expired before an instant. */
export async function deleteTokensEndedBefore(db: Knex, before: Date): Promise<void> {
  const tables: readonly TokenTable[] = ['api_keys', 'personal_access_tokens'];
  for (const table of tables)
    await db(table).where('expires_at', '<', before).orWhere('revoked_at', '<', before).delete();
}
