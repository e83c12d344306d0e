import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { isSameHash, makeToken, parseToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { Knex } from 'knex';
import type { Actor } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { type Credential, type CredentialSource, toHolder } from '../../../authentication/index.js';
import { afterCommit } from '../../../db/after-commit.js';
import type { ErrorCode } from '../../../http/error-table.js';
import { ApiError } from '../../../http/errors.js';
import type { Freshness, StepUpFactor } from '../../../http/route.js';
import { scopes } from '../../../http/scopes.js';
import type { Proof } from '../judgement/judge-sign-in.js';
import type { AccessTokens } from './access-tokens.js';
import { ACCESS_TOKEN_SECONDS } from './lifetimes.js';
import {
  extendFreshness,
  extendSession,
  type FreshnessRow,
  findBrowserSession,
  findRefreshToken,
  findSession,
  insertRefreshToken,
  insertSession,
  listSessions,
  lockSession,
  type NewCookie,
  type RefreshTokenRow,
  replaceCookie,
  replaceRefreshToken,
  revokeOldestSessions,
  revokeSessions,
  type SessionRow,
} from './session-store.js';

// A session has one live refresh token. Its use creates the next one:
//
//   T1 ──use──► T2 ──use──► T3          T1 again after T2 was used, or after the grace period: someone else has
//   live        live        live        it too, and the session ends for both
//
//   T1 ──use──► T2 (reply lost) ┄┄ T1 again within the grace period, T2 unused: T2 is replaced by T2' and invalid

/** Time after which a session ends unless it is refreshed, in milliseconds. */
const SESSION_LIFE_MS = 30 * 24 * 3_600_000;
/** Time after sign-in when the session of a browser ends in any case, in milliseconds. */
const BROWSER_LIFE_MS = 180 * 24 * 3_600_000;
/** The use of a session by a browser is stored this often, in milliseconds. */
const NOTE_USE_MS = 10 * 60_000;
/** Grace period for lost responses: within it, reuse of a token replaces an unused successor instead of ending the session. */
export const REFRESH_GRACE_MS = 10_000;

/** Time after sign-in or a step-up in which a session may change what protects the account, in milliseconds; refreshing does not extend it. */
export const FRESH_MS = 10 * 60_000;

/** Greatest number of sessions of a user; one more ends the oldest. */
export const MAX_SESSIONS = 100;

/** Tokens with which a client acts for a user (API specification 2.6). */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
  readonly sessionId: string;
  readonly userId: string;
}

/** Facts about the client that signs in. */
export interface ClientInfo {
  readonly address: string;
  readonly userAgent: string | null;
}

/** Proofs of a sign-in, and where it comes from. */
export interface SessionProof {
  readonly methods: readonly Proof[];
  readonly client: ClientInfo;
}

/** A session of a browser. `cookie` cannot be read again. */
export interface BrowserSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly cookie: string;
}

/** The person behind a cookie. */
export interface BrowserVisit {
  readonly sessionId: string;
  readonly userId: string;
  readonly role: 'user' | 'admin';
  readonly freshness: Freshness;
}

interface SessionsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly accessTokens: AccessTokens;
  readonly revoked: (userId: string) => void;
  /** True if an address must be verified for its user to stay signed in. */
  readonly needsVerifiedEmail: boolean;
}

type RefreshOutcome =
  | { readonly kind: 'refreshed'; readonly userId: string; readonly sessionId: string; readonly refreshToken: string }
  | { readonly kind: 'reused'; readonly userId: string }
  | { readonly kind: 'refused'; readonly error: ApiError };

/** Sessions of users: opens, refreshes, lists and ends them, and authenticates their access tokens. */
export class Sessions implements CredentialSource {
  readonly kind = 'session';

  constructor(private readonly options: SessionsOptions) {}

  /** Opens a session in the caller's transaction. The tokens in the result cannot be read again. */
  async open(trx: Knex, userId: string, proof: SessionProof): Promise<TokenPair> {
    const { id, at } = await this.#insert(trx, userId, proof, null);
    return this.#pair(userId, id, await this.#addToken(trx, id, at));
  }

  /** Opens a session of a browser, which shows a cookie instead of tokens. It ends 30 days after its last use, 180 days after sign-in. */
  async openBrowser(trx: Knex, userId: string, proof: SessionProof): Promise<BrowserSession> {
    const secret = makeToken(tokenPrefixes.browser);
    const { id } = await this.#insert(trx, userId, proof, secret);
    return { sessionId: id, userId, cookie: secret.token };
  }

  /** Gives a session of a browser a new cookie, after a password or a factor has changed: the earlier one ends. */
  async renewCookie(sessionId: string): Promise<string> {
    const secret = makeToken(tokenPrefixes.browser);
    await replaceCookie(this.options.db, sessionId, secret);
    return secret.token;
  }

  /**
   * Session of a browser by its cookie. Its use is noted.
   * @throws ApiError AUTH_SESSION_INVALID, ACCOUNT_DELETED, AUTH_ACCOUNT_DISABLED, AUTH_EMAIL_NOT_VERIFIED
   */
  async findBrowser(cookie: string): Promise<BrowserVisit> {
    const { db, clock, needsVerifiedEmail } = this.options;
    const parsed = parseToken(tokenPrefixes.browser, cookie);
    const row = parsed === null ? null : await findBrowserSession(db, parsed.tokenId);
    if (parsed === null || row === null || !isSameHash(row.secret_hash, parsed.secretHash))
      throw new ApiError('AUTH_SESSION_INVALID');
    const now = clock.now();
    if (row.owner_state === 'disabled') throw new ApiError('AUTH_ACCOUNT_DISABLED');
    if (row.owner_state !== 'active') throw new ApiError('ACCOUNT_DELETED');
    if (row.is_revoked || row.expires_at.getTime() <= now) throw new ApiError('AUTH_SESSION_INVALID');
    if (needsVerifiedEmail && !row.is_email_verified) throw new ApiError('AUTH_EMAIL_NOT_VERIFIED');
    if (now - row.last_used_at.getTime() > NOTE_USE_MS) {
      const expiresAt = Math.min(now + SESSION_LIFE_MS, row.created_at.getTime() + BROWSER_LIFE_MS);
      await extendSession(db, row.id, new Date(now), new Date(expiresAt));
    }
    return { sessionId: row.id, userId: row.user_id, role: row.role ?? 'user', freshness: freshnessOf(row, now) };
  }

  /** Access token of a browser's session, for the scripts of our own pages: it gives no way to renew itself. */
  async issueToBrowser(visit: BrowserVisit): Promise<{ accessToken: string; expiresInSeconds: number }> {
    const accessToken = await this.options.accessTokens.issue(visit);
    return { accessToken, expiresInSeconds: ACCESS_TOKEN_SECONDS };
  }

  /**
   * Returns new tokens for a refresh token, which is used up.
   * @throws ApiError AUTH_SESSION_INVALID, AUTH_ACCOUNT_DISABLED, ACCOUNT_DELETED, AUTH_EMAIL_NOT_VERIFIED
   */
  async refresh(refreshToken: string, actor: Actor): Promise<TokenPair> {
    const parsed = parseToken(tokenPrefixes.refresh, refreshToken);
    if (parsed === null) throw new ApiError('AUTH_SESSION_INVALID');
    const outcome = await this.options.db.transaction(async (trx) => {
      const found = await findRefreshToken(trx, parsed.tokenId);
      if (found === null || !isSameHash(found.secret_hash, parsed.secretHash)) return refused('AUTH_SESSION_INVALID');
      return this.#rotate(trx, found, actor);
    });
    if (outcome.kind === 'refused') throw outcome.error;
    if (outcome.kind === 'refreshed') return this.#pair(outcome.userId, outcome.sessionId, outcome.refreshToken);
    this.options.revoked(outcome.userId);
    throw new ApiError('AUTH_SESSION_INVALID');
  }

  /** Lists a user's live sessions, newest first. */
  list(userId: string): Promise<SessionRow[]> {
    return listSessions(this.options.db, userId, new Date(this.options.clock.now()));
  }

  /** Ends one session of a user. @throws ApiError NOT_FOUND */
  async end(
    userId: string,
    sessionId: string,
    { actor, isLogout }: { actor: Actor; isLogout: boolean },
  ): Promise<void> {
    await this.options.db.transaction(async (trx) => {
      const reason = isLogout ? 'logout' : 'revoked';
      const ended = await this.#revoke(trx, userId, { reason, only: sessionId });
      if (ended.length === 0) throw new ApiError('NOT_FOUND');
      const action = isLogout ? 'session.ended' : 'session.revoked';
      await insertAuditEntry(trx, { actor, accountId: userId, action, subject: sessionId });
    });
    this.options.revoked(userId);
  }

  /** Ends all sessions of a user except one; null for all. */
  async endAllBut(userId: string, except: string | null, actor: Actor): Promise<void> {
    await this.options.db.transaction((trx) => this.endOthers(trx, userId, { actor, except, reason: 'revoked' }));
    this.options.revoked(userId);
  }

  /** As `endAllBut`, in the caller's transaction; returns the ids of the sessions. Call `revoked` after its commit. */
  async endOthers(
    trx: Knex,
    userId: string,
    { actor, except, reason }: { actor: Actor; except: string | null; reason: string },
  ): Promise<string[]> {
    const ended = await this.#revoke(trx, userId, { reason, ...(except === null ? {} : { except }) });
    for (const subject of ended) {
      await insertAuditEntry(trx, {
        actor,
        accountId: userId,
        action: 'session.revoked',
        subject,
        details: { reason },
      });
    }
    return ended;
  }

  /** True if the token has the form of a signed JWT (RFC 7515 section 3.1): three base64url parts, first a JSON object. */
  recognises(token: string): boolean {
    return /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(token);
  }

  /** Finds the session of an access token. @throws ApiError AUTH_EXPIRED, AUTH_INVALID_TOKEN, AUTH_SESSION_INVALID */
  async find(token: string): Promise<Credential> {
    const { clock, db, accessTokens } = this.options;
    const { userId, sessionId, expiresAt } = await accessTokens.verify(token);
    const row = await findSession(db, sessionId);
    if (row === null || row.user_id !== userId) throw new ApiError('AUTH_SESSION_INVALID');
    const isOver = row.is_revoked || row.expires_at.getTime() <= clock.now();
    return {
      id: sessionId,
      kind: 'session',
      ...toHolder(row),
      createdBy: userId,
      scopes,
      isTest: false,
      freshness: freshnessOf(row, clock.now()),
      isBrowser: row.kind === 'browser',
      allowedOrigins: null,
      refusal: isOver ? 'AUTH_SESSION_INVALID' : null,
      validForMs: expiresAt - clock.now(),
    };
  }

  /** Makes a session fresh again after its person proved their identity; returns until when. */
  async refreshProof(trx: Knex, { id, userId }: { id: string; userId: string }): Promise<Date> {
    const until = new Date(this.options.clock.now() + FRESH_MS);
    await extendFreshness(trx, id, until);
    afterCommit(trx, () => this.options.revoked(userId));
    return until;
  }

  /** Does nothing: the use of a session is stored when it is refreshed. */
  async noteUse(): Promise<void> {}

  async #rotate(trx: Knex.Transaction, found: RefreshTokenRow, actor: Actor): Promise<RefreshOutcome> {
    const now = this.options.clock.now();
    const session = await lockSession(trx, found.session_id);
    if (session === null || session.revoked_at !== null || session.expires_at.getTime() <= now) {
      return refused('AUTH_SESSION_INVALID');
    }
    if (session.owner_state !== 'active') {
      return refused(session.owner_state === 'deleted' ? 'ACCOUNT_DELETED' : 'AUTH_ACCOUNT_DISABLED');
    }
    if (this.options.needsVerifiedEmail && !session.is_email_verified) return refused('AUTH_EMAIL_NOT_VERIFIED');
    // read again under the lock
    const token = await findRefreshToken(trx, found.token_id);
    const spent = token === null ? null : await this.#spend(trx, token, now);
    if (spent === null) return this.#endStolen(trx, session, actor);
    const at = new Date(now);
    const refreshToken = await this.#addToken(trx, session.id, at, spent);
    await extendSession(trx, session.id, at, new Date(now + SESSION_LIFE_MS));
    return { kind: 'refreshed', userId: session.user_id, sessionId: session.id, refreshToken };
  }

  /** Ids of the tokens that the next one replaces; null if this one may not be used any more. */
  async #spend(trx: Knex, token: RefreshTokenRow, now: number): Promise<readonly string[] | null> {
    if (token.replaced_at === null || token.replaced_by === null) return [token.token_id];
    const successor = await findRefreshToken(trx, token.replaced_by);
    const isLostAnswer = now - token.replaced_at.getTime() <= REFRESH_GRACE_MS && successor?.replaced_at === null;
    return isLostAnswer ? [token.token_id, successor.token_id] : null;
  }

  async #endStolen(trx: Knex, session: SessionRow, actor: Actor): Promise<RefreshOutcome> {
    const { id, user_id: userId } = session;
    await this.#revoke(trx, userId, { reason: 'reuse', only: id });
    await insertAuditEntry(trx, { actor, accountId: userId, action: 'session.reuse_detected', subject: id });
    return { kind: 'reused', userId };
  }

  async #insert(
    trx: Knex,
    userId: string,
    { methods, client }: SessionProof,
    cookie: Pick<NewCookie, 'tokenId' | 'secretHash'> | null,
  ): Promise<{ id: string; at: Date }> {
    const now = this.options.clock.now();
    const at = new Date(now);
    const id = newId(idPrefixes.session, now);
    await insertSession(trx, {
      id,
      kind: cookie === null ? 'token' : 'browser',
      user_id: userId,
      methods: [...methods],
      address: client.address,
      user_agent: client.userAgent?.slice(0, 500) ?? null,
      created_at: at,
      last_used_at: at,
      expires_at: new Date(now + SESSION_LIFE_MS),
      // the device that showed a QR code may be anyone's
      fresh_until: methods.includes('qr') ? null : new Date(now + FRESH_MS),
      token_id: cookie?.tokenId ?? null,
      secret_hash: cookie?.secretHash ?? null,
    });
    await revokeOldestSessions(trx, userId, { at, keep: MAX_SESSIONS });
    return { id, at };
  }

  async #addToken(trx: Knex, sessionId: string, at: Date, replaces: readonly string[] = []): Promise<string> {
    const { token, tokenId, secretHash } = makeToken(tokenPrefixes.refresh);
    await insertRefreshToken(trx, { tokenId, secretHash, sessionId, at });
    for (const replaced of replaces) await replaceRefreshToken(trx, replaced, tokenId, at);
    return token;
  }

  #revoke(trx: Knex, userId: string, which: { reason: string; only?: string; except?: string }): Promise<string[]> {
    return revokeSessions(trx, userId, { at: new Date(this.options.clock.now()), ...which });
  }

  async #pair(userId: string, sessionId: string, refreshToken: string): Promise<TokenPair> {
    const accessToken = await this.options.accessTokens.issue({ userId, sessionId });
    return { accessToken, refreshToken, expiresInSeconds: ACCESS_TOKEN_SECONDS, sessionId, userId };
  }
}

/** With a second factor, that or a passkey; else the password or a passkey; without either, a mailed code. */
function freshnessOf(
  { fresh_until, has_totp, has_recovery_code, has_passkey, has_password }: FreshnessRow,
  now: number,
): Freshness {
  const first: readonly StepUpFactor[] = has_password ? ['password'] : [];
  const second: readonly StepUpFactor[] = has_recovery_code ? ['totp', 'recovery_code'] : ['totp'];
  const factors: readonly StepUpFactor[] = [
    ...(has_totp ? second : first),
    ...(has_passkey ? (['passkey'] as const) : []),
  ];
  return {
    isFresh: fresh_until !== null && fresh_until.getTime() > now,
    factors: factors.length > 0 ? factors : ['email_code'],
  };
}

function refused(code: ErrorCode): RefreshOutcome {
  return { kind: 'refused', error: new ApiError(code) };
}
