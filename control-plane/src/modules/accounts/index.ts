import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { isSameHash, makeToken, parseToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { Knex } from 'knex';
import { ApiError } from '../../http/errors.js';
import type { Account } from '../../http/route.js';
import { scopes as allScopes, expandScopes, type Scope } from '../../http/scopes.js';
import { hashPassword, MIN_PASSWORD_LENGTH } from './password.js';
import {
  findCredential,
  findFirstAdmin,
  findUserByEmail,
  insertPersonalAccessToken,
  insertUser,
  type TokenRow,
  touchCredential,
  type UserRow,
} from './store.js';

export { type AuditEntry, insertAuditEntry } from './store.js';

/** A user as the command line and the API show it. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly role: 'user' | 'admin';
  readonly plan: string;
  readonly created_at: string;
}

/** A personal access token as shown; `token` only when it was just made. */
export interface PersonalAccessToken {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly token: string;
}

// a used token is noted at most this often by one replica; the statement itself holds it to once a minute
const TOUCH_EVERY_MS = 60_000;

/** Users and their credentials. */
export class Accounts {
  readonly #touchedAt = new Map<string, number>();

  constructor(
    private readonly db: Knex,
    private readonly clock: Clock,
  ) {}

  /** Makes a user with the plan `unlimited`. @throws ApiError ACCOUNT_EMAIL_TAKEN, VALIDATION_FAILED, AUTH_PASSWORD_WEAK */
  async createUser(request: { email: string; role: 'user' | 'admin'; password: string | null }): Promise<User> {
    const email = parseEmail(request.email);
    if (request.password !== null && request.password.length < MIN_PASSWORD_LENGTH) {
      throw new ApiError('AUTH_PASSWORD_WEAK');
    }
    const passwordHash = request.password === null ? null : await hashPassword(request.password);
    const user = {
      id: newId(idPrefixes.user, this.clock.now()),
      email,
      role: request.role,
      plan: 'unlimited',
      passwordHash,
    };
    const row = await insertUser(this.db, user);
    if (!row) throw new ApiError('ACCOUNT_EMAIL_TAKEN');
    return toUser(row);
  }

  /** @throws ApiError ACCOUNT_NOT_FOUND */
  async getUserByEmail(email: string): Promise<User> {
    const row = await findUserByEmail(this.db, email.trim().toLowerCase());
    if (!row) throw new ApiError('ACCOUNT_NOT_FOUND');
    return toUser(row);
  }

  /** The admin who was made first. @throws ApiError ACCOUNT_NOT_FOUND when there is none */
  async getFirstAdmin(): Promise<User> {
    const row = await findFirstAdmin(this.db);
    if (!row)
      throw new ApiError('ACCOUNT_NOT_FOUND', {
        details: {
          user: [{ code: 'not_found', message: 'is missing: no admin exists, make one with user create --role admin' }],
        },
      });
    return toUser(row);
  }

  /** Makes a token with all scopes unless some are named; its secret is in `token` this once. */
  async createToken(
    userId: string,
    request: { name: string; scopes: readonly Scope[] | null },
  ): Promise<PersonalAccessToken> {
    const { token, tokenId, secretHash } = makeToken(tokenPrefixes.personalAccess);
    const row = await insertPersonalAccessToken(this.db, {
      id: newId(idPrefixes.personalAccessToken, this.clock.now()),
      tokenId,
      secretHash,
      userId,
      name: request.name,
      scopes: request.scopes ?? allScopes,
    });
    return toToken(row, token);
  }

  /** Whose token this is. @throws ApiError AUTH_INVALID_TOKEN, TOKEN_EXPIRED */
  async authenticate(token: string): Promise<Account> {
    const parsed = parseToken(tokenPrefixes.personalAccess, token);
    if (!parsed) throw new ApiError('AUTH_INVALID_TOKEN');
    const row = await findCredential(this.db, parsed.tokenId);
    if (!row || !isSameHash(row.secret_hash, parsed.secretHash) || row.is_revoked)
      throw new ApiError('AUTH_INVALID_TOKEN');
    if (row.is_expired) throw new ApiError('TOKEN_EXPIRED');
    await this.#touch(row.id);
    return { userId: row.user_id, role: row.role, scopes: expandScopes(row.scopes), credentialId: row.id };
  }

  async #touch(credentialId: string): Promise<void> {
    const now = this.clock.now();
    if (now - (this.#touchedAt.get(credentialId) ?? 0) < TOUCH_EVERY_MS) return;
    if (this.#touchedAt.size > 10_000) this.#touchedAt.clear();
    this.#touchedAt.set(credentialId, now);
    await touchCredential(this.db, credentialId);
  }
}

/** Lower-cased address. @throws ApiError VALIDATION_FAILED */
function parseEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (email.length <= 254 && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email)) return email;
  throw new ApiError('VALIDATION_FAILED', {
    details: { email: [{ code: 'format', message: 'must be an e-mail address' }] },
  });
}

function toUser(row: UserRow): User {
  return { ...row, created_at: row.created_at.toISOString() };
}

function toToken(row: TokenRow, token: string): PersonalAccessToken {
  const { id, name, scopes } = row;
  return {
    id,
    name,
    scopes,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    token,
  };
}

declare module '../../http/route.js' {
  interface Services {
    readonly accounts: Accounts;
  }
}
