import type { Knex } from 'knex';
import { HOLDER_COLUMNS, type HolderRow } from '../../../authentication/index.js';
import { queryPrepared } from '../../../db/prepared.js';
import { findRow } from '../../../db/row-by-key.js';
import { publishAll } from '../../../events/index.js';

export interface SessionRow {
  readonly id: string;
  /** `token`: of an API client; `browser`: of pages, by a cookie. */
  readonly kind: 'token' | 'browser';
  readonly user_id: string;
  readonly methods: string[];
  readonly address: string;
  readonly user_agent: string | null;
  readonly created_at: Date;
  readonly last_used_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
  readonly fresh_until: Date | null;
}

export interface NewRefreshToken {
  readonly tokenId: string;
  readonly secretHash: Buffer;
  readonly sessionId: string;
  readonly at: Date;
}

/** Cookie of a browser, as it is stored. */
export interface NewCookie {
  readonly tokenId: string;
  readonly secretHash: Buffer;
}

export async function insertSession(
  trx: Knex,
  session: Omit<SessionRow, 'revoked_at'> & { readonly token_id: string | null; readonly secret_hash: Buffer | null },
): Promise<void> {
  await trx('sessions').insert(session);
}

export async function insertRefreshToken(trx: Knex, token: NewRefreshToken): Promise<void> {
  await trx('refresh_tokens').insert({
    token_id: token.tokenId,
    secret_hash: token.secretHash,
    session_id: token.sessionId,
    created_at: token.at,
  });
}

export interface RefreshTokenRow {
  readonly token_id: string;
  readonly secret_hash: Buffer;
  readonly session_id: string;
  readonly replaced_at: Date | null;
  readonly replaced_by: string | null;
}

/** Finds the refresh token with this public id; null if there is no such token. */
export async function findRefreshToken(db: Knex, tokenId: string): Promise<RefreshTokenRow | null> {
  const row = await db('refresh_tokens').where({ token_id: tokenId }).first<RefreshTokenRow | undefined>();
  return row ?? null;
}

/** Finds a session with its owner, and locks it until the transaction ends, so that one refresh runs at a time; null if there is none. */
export async function lockSession(trx: Knex.Transaction, id: string): Promise<(SessionRow & HolderRow) | null> {
  const { rows } = await trx.raw<{ rows: (SessionRow & HolderRow)[] }>(
    `SELECT s.*, ${HOLDER_COLUMNS} FROM sessions s JOIN users u ON u.id = s.user_id JOIN owners o ON o.id = u.id WHERE s.id = ? FOR UPDATE OF s`,
    [id],
  );
  return rows[0] ?? null;
}

/** Stores that a refresh token was used, and its successor. */
export async function replaceRefreshToken(trx: Knex, tokenId: string, by: string, at: Date): Promise<void> {
  // the grace period starts at the first use
  const first = trx.raw('coalesce(replaced_at, ?)', [at]);
  await trx('refresh_tokens').where({ token_id: tokenId }).update({ replaced_at: first, replaced_by: by });
}

/** Extends a session that was used. */
export async function extendSession(trx: Knex, id: string, at: Date, expiresAt: Date): Promise<void> {
  await trx('sessions').where({ id }).update({ last_used_at: at, expires_at: expiresAt });
}

/** Makes a live session fresh until an instant. */
export async function extendFreshness(trx: Knex, id: string, until: Date): Promise<void> {
  await trx('sessions').where({ id, revoked_at: null }).update({ fresh_until: until });
}

/** Ends live sessions of a user, and returns their ids. `only` and `except` are session ids. */
export async function revokeSessions(
  trx: Knex,
  userId: string,
  { at, reason, only, except }: { at: Date; reason: string; only?: string; except?: string },
): Promise<string[]> {
  const query = trx('sessions').where({ user_id: userId }).whereNull('revoked_at').where('expires_at', '>', at);
  if (only !== undefined) void query.where({ id: only });
  if (except !== undefined) void query.whereNot({ id: except });
  const rows = await query.update({ revoked_at: at, revoke_reason: reason }).returning<{ id: string }[]>('id');
  return publishEnded(trx, userId, rows);
}

/** Publishes the end of sessions, and returns their ids. */
async function publishEnded(trx: Knex, ownerId: string, rows: readonly { readonly id: string }[]): Promise<string[]> {
  const kind = 'session.ended' as const;
  await publishAll(
    trx,
    rows.map(({ id }) => ({ kind, ownerId, isTest: false, subject: id, payload: { session_id: id } })),
  );
  return rows.map(({ id }) => id);
}

/** Lists a user's live sessions, newest first. */
export function listSessions(db: Knex, userId: string, at: Date): Promise<SessionRow[]> {
  return queryPrepared<SessionRow>(db, LIST_SESSIONS, [userId, at]);
}

const LIST_SESSIONS = {
  name: 'sessions-of-user',
  text: `SELECT id, kind, user_id, methods, address, user_agent, created_at, last_used_at, expires_at, revoked_at, fresh_until
    FROM sessions WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2 ORDER BY id DESC`,
};

const FRESHNESS_COLUMNS = `s.fresh_until, u.password_hash IS NOT NULL AS has_password,
    EXISTS (SELECT FROM totp_secrets f WHERE f.user_id = u.id AND f.enabled_at IS NOT NULL) AS has_totp,
    EXISTS (SELECT FROM recovery_codes c WHERE c.user_id = u.id AND c.used_at IS NULL) AS has_recovery_code,
    EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id) AS has_passkey`;

const FIND_BROWSER_SESSION = {
  name: 'find-browser-session',
  text: `SELECT s.token_id AS key, s.id, s.kind, s.secret_hash, s.created_at, s.last_used_at,
    s.revoked_at IS NOT NULL AS is_revoked, s.expires_at, ${HOLDER_COLUMNS}, ${FRESHNESS_COLUMNS}
  FROM sessions s JOIN users u ON u.id = s.user_id JOIN owners o ON o.id = u.id WHERE s.token_id = ANY($1)`,
};

/** Session with the cookie of a browser. */
interface BrowserSessionRow extends LiveSessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly secret_hash: Buffer;
  readonly created_at: Date;
  readonly last_used_at: Date;
}

/** Finds the session of a browser by the public part of its cookie; null if there is none. */
export function findBrowserSession(db: Knex, tokenId: string): Promise<BrowserSessionRow | null> {
  return findRow<BrowserSessionRow>(db, FIND_BROWSER_SESSION, tokenId);
}

/** Replaces the cookie of a session. */
export async function replaceCookie(db: Knex, id: string, { tokenId, secretHash }: NewCookie): Promise<void> {
  await db('sessions').where({ id, kind: 'browser' }).update({ token_id: tokenId, secret_hash: secretHash });
}

const FIND_SESSION = {
  name: 'find-session',
  text: `SELECT s.id AS key, s.kind, s.revoked_at IS NOT NULL AS is_revoked, s.expires_at, ${HOLDER_COLUMNS}, ${FRESHNESS_COLUMNS}
  FROM sessions s JOIN users u ON u.id = s.user_id JOIN owners o ON o.id = u.id WHERE s.id = ANY($1)`,
};

/** Facts about a session and its user that decide about freshness. */
export interface FreshnessRow {
  readonly fresh_until: Date | null;
  readonly has_password: boolean;
  readonly has_totp: boolean;
  readonly has_recovery_code: boolean;
  readonly has_passkey: boolean;
}

interface LiveSessionRow extends HolderRow, FreshnessRow {
  readonly kind: SessionRow['kind'];
  readonly is_revoked: boolean;
  readonly expires_at: Date;
}

/** Finds a session for authentication; null if there is no such session. */
export async function findSession(db: Knex, id: string): Promise<LiveSessionRow | null> {
  return findRow<LiveSessionRow>(db, FIND_SESSION, id);
}

/**
 * Lists addresses that the owner of an account has signed in from, in about the last month. Sessions that were revoked, and
 * opened before the password was last set or the address verified, do not count: they may have been someone else's.
 */
export async function listSessionAddresses(db: Knex, userId: string): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { address: string }[] }>(
    `SELECT DISTINCT s.address FROM sessions s JOIN users u ON u.id = s.user_id
     WHERE s.user_id = ?
       AND (s.revoked_at IS NULL OR s.created_at >= greatest(u.created_at, u.password_changed_at, u.email_verified_at))`,
    [userId],
  );
  return rows.map(({ address }) => address);
}

/** Networks and programs that signed in to an account in about the last month. */
export async function listSessionPlaces(
  db: Knex,
  userId: string,
): Promise<{ address: string; userAgent: string | null }[]> {
  const places = db('sessions').where({ user_id: userId }).distinct('address', 'user_agent AS userAgent');
  return places as Promise<{ address: string; userAgent: string | null }[]>;
}

/** Ends all but the newest sessions of a user. */
export async function revokeOldestSessions(
  trx: Knex,
  userId: string,
  { at, keep }: { at: Date; keep: number },
): Promise<void> {
  const ended = await trx('sessions')
    .whereIn('id', (live) =>
      live
        .from('sessions')
        .where({ user_id: userId, revoked_at: null })
        .orderBy('id', 'desc')
        .offset(keep)
        .select('id'),
    )
    .update({ revoked_at: at, revoke_reason: 'too many' })
    .returning<{ id: string }[]>('id');
  await publishEnded(trx, userId, ended);
}

/** Deletes refresh tokens that were used before an instant; their reuse is no longer detected. */
export async function deleteOldRefreshTokens(db: Knex, before: Date): Promise<void> {
  await db('refresh_tokens').where('replaced_at', '<', before).delete();
}

/** Deletes sessions that ended before an instant, with their refresh tokens. */
export async function deleteEndedSessions(db: Knex, before: Date): Promise<void> {
  await db('sessions').where('expires_at', '<', before).orWhere('revoked_at', '<', before).delete();
}
