import type { Knex } from 'knex';
import { queryPrepared } from '../../db/prepared.js';
import type { Scope } from '../../http/scopes.js';

export interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly role: 'user' | 'admin';
  readonly plan: string;
  readonly created_at: Date;
}

/** Inserts a user; null when the address is taken. */
export async function insertUser(
  db: Knex,
  user: { id: string; email: string; role: 'user' | 'admin'; plan: string; passwordHash: string | null },
): Promise<UserRow | null> {
  const rows = await db('users')
    .insert({ id: user.id, email: user.email, role: user.role, plan: user.plan, password_hash: user.passwordHash })
    .onConflict('email')
    .ignore()
    .returning<UserRow[]>(['id', 'email', 'role', 'plan', 'created_at']);
  return rows[0] ?? null;
}

/** The user with this lower-cased address, or null. */
export async function findUserByEmail(db: Knex, email: string): Promise<UserRow | null> {
  const row = await db('users')
    .where({ email })
    .first<UserRow | undefined>('id', 'email', 'role', 'plan', 'created_at');
  return row ?? null;
}

/** The oldest user with role admin, or null. */
export async function findFirstAdmin(db: Knex): Promise<UserRow | null> {
  const row = await db('users')
    .where({ role: 'admin' })
    .orderBy('id')
    .first<UserRow | undefined>('id', 'email', 'role', 'plan', 'created_at');
  return row ?? null;
}

export interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly scopes: Scope[];
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

/** Stores a personal access token: its public id and the hash of its secret, never the secret. */
export async function insertPersonalAccessToken(
  db: Knex,
  token: { id: string; tokenId: string; secretHash: Buffer; userId: string; name: string; scopes: readonly Scope[] },
): Promise<TokenRow> {
  const [row] = await db('personal_access_tokens')
    .insert({
      id: token.id,
      token_id: token.tokenId,
      secret_hash: token.secretHash,
      user_id: token.userId,
      name: token.name,
      scopes: token.scopes,
    })
    .returning<TokenRow[]>(['id', 'name', 'scopes', 'created_at', 'expires_at']);
  if (!row) throw new Error('insert returned no row');
  return row;
}

export interface CredentialRow {
  readonly id: string;
  readonly secret_hash: Buffer;
  readonly scopes: Scope[];
  readonly user_id: string;
  readonly role: 'user' | 'admin';
  readonly is_expired: boolean;
  readonly is_revoked: boolean;
}

const FIND_CREDENTIAL = {
  name: 'find-credential',
  text: `  SELECT t.id, t.secret_hash, t.scopes, t.user_id, u.role,
         coalesce(t.expires_at <= now(), false) AS is_expired, t.revoked_at IS NOT NULL AS is_revoked
  FROM personal_access_tokens t JOIN users u ON u.id = t.user_id
  WHERE t.token_id = $1`,
};

/** The token with this public id and its owner, or null. */
export async function findCredential(db: Knex, tokenId: string): Promise<CredentialRow | null> {
  const [row] = await queryPrepared<CredentialRow>(db, FIND_CREDENTIAL, [tokenId]);
  return row ?? null;
}

/** Notes a use, at most once a minute. */
export async function touchCredential(db: Knex, id: string): Promise<void> {
  await db.raw(
    `UPDATE personal_access_tokens SET last_used_at = now()
     WHERE id = ? AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
    [id],
  );
}

export interface AuditEntry {
  readonly userId: string | null;
  readonly credentialId: string | null;
  readonly action: string;
  readonly subject: string;
  readonly details?: Record<string, unknown>;
  readonly requestId?: string;
}

/** Writes one line of the audit log, in the transaction of the act itself. */
export async function insertAuditEntry(db: Knex, entry: AuditEntry): Promise<void> {
  await db('audit_log').insert({
    user_id: entry.userId,
    credential_id: entry.credentialId,
    action: entry.action,
    subject: entry.subject,
    details: JSON.stringify(entry.details ?? {}),
    request_id: entry.requestId ?? null,
  });
}
