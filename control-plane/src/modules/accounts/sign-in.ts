import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import type { Actor } from '../../actor.js';
import type { ErrorCode } from '../../http/error-table.js';
import { ApiError, fieldError } from '../../http/errors.js';
import type { Locale } from '../../http/locale.js';
import { addressKey } from '../../http/rate-limit.js';
import { insertAuditEntry } from '../audit/index.js';
import { parseEmail } from './email.js';
import type { PasswordRules } from './password-rules.js';
import type { PasswordHasher } from './passwords.js';
import { type Profile, profileLocaleOf, profileOf } from './profile.js';
import type { Recovery } from './recovery.js';
import { listSessionAddresses } from './session-store.js';
import type { ClientInfo, Sessions, TokenPair } from './sessions.js';
import type { Attempt, SignInThrottle } from './sign-in-throttle.js';
import { findUser, findUserByEmail, insertUser, lockUser, type UserRow } from './store.js';

interface SignInOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly hasher: PasswordHasher;
  readonly rules: PasswordRules;
  readonly sessions: Sessions;
  readonly recovery: Recovery;
  readonly throttle: SignInThrottle;
  /** Whether strangers may make accounts. */
  readonly isRegistrationOpen: boolean;
  /** Whether an address must be verified before its user signs in. */
  readonly needsVerifiedEmail: boolean;
}

/** Somebody who proved who they are. */
export interface SignedIn {
  readonly tokens: TokenPair;
  readonly user: Profile;
}

/** The request behind a sign-in. */
export interface SignInRequest {
  readonly email: string;
  readonly password: string;
  readonly client: ClientInfo;
  readonly actor: Actor;
}

/** Making accounts and getting into them. */
export class SignIn {
  constructor(private readonly options: SignInOptions) {}

  /**
   * Makes an account of the plan `free`, signs in, and mails a link that verifies the address.
   * @throws ApiError FORBIDDEN, VALIDATION_FAILED, AUTH_PASSWORD_WEAK, ACCOUNT_EMAIL_TAKEN, UNAVAILABLE
   */
  async register(request: SignInRequest, locale: Locale): Promise<SignedIn> {
    const { db, clock, hasher, rules, isRegistrationOpen } = this.options;
    if (!isRegistrationOpen) throw registrationClosed();
    const email = parseEmail(request.email);
    await rules.refuseWeak(request.password, email);
    const passwordHash = await hasher.hash(request.password);
    const now = clock.now();
    return db.transaction(async (trx) => {
      const user = await insertUser(trx, {
        id: newId(idPrefixes.user, now),
        email,
        role: 'user',
        plan: 'free',
        password_hash: passwordHash,
        locale: profileLocaleOf(locale),
        created_at: new Date(now),
      });
      if (user === null) throw emailTaken();
      const entry = { actor: request.actor, accountId: user.id, subject: user.id } as const;
      await insertAuditEntry(trx, { ...entry, action: 'account.registered' });
      await this.options.recovery.mailVerification(trx, user);
      return this.#open(trx, user, request);
    });
  }

  /**
   * Signs in by password. Whether an account exists shows neither in the answer nor in its time.
   * @throws ApiError AUTH_CREDENTIALS_INVALID, RATE_LIMIT_EXCEEDED, AUTH_ACCOUNT_DISABLED, AUTH_EMAIL_NOT_VERIFIED, UNAVAILABLE
   */
  async login(request: SignInRequest): Promise<SignedIn> {
    const { db, throttle } = this.options;
    const email = parseEmail(request.email);
    const attempt = await this.#attemptOf(email, request.client.address);
    const user = await findUserByEmail(db, email);
    if (!(await this.#tryPassword(user, request.password, attempt))) {
      await this.#refuse(user, request.actor);
      throw new ApiError('AUTH_CREDENTIALS_INVALID');
    }
    const outcome = await db.transaction(async (trx) => {
      await throttle.succeeded(trx, attempt);
      // as it is now: hashing took a while, and a password that was replaced meanwhile opens nothing
      const current = await lockUser(trx, user?.id ?? '');
      const refusal = this.#refusalOf(current, user?.password_hash ?? null);
      if (refusal === null && current !== null) return this.#open(trx, current, request);
      await this.#refuse(user, request.actor, trx);
      return new ApiError(refusal ?? 'AUTH_CREDENTIALS_INVALID');
    });
    if (outcome instanceof ApiError) throw outcome;
    return outcome;
  }

  /**
   * Sets another password, the present one proven first where there is one; `keepSession` goes on, other sessions end.
   * @throws ApiError AUTH_CREDENTIALS_INVALID, RATE_LIMIT_EXCEEDED, VALIDATION_FAILED, FORBIDDEN and as Recovery.changePassword
   */
  async changePassword(
    userId: string,
    passwords: { readonly current: string | null; readonly next: string },
    by: { readonly actor: Actor; readonly keepSession: string | null; readonly hasAllScopes: boolean },
  ): Promise<void> {
    const user = await findUser(this.options.db, userId);
    if (user === null) throw new ApiError('ACCOUNT_NOT_FOUND');
    if (user.password_hash !== null) await this.#confirmPassword(user, passwords.current, by.actor);
    // a password opens everything: no narrow token may set the first one
    else if (!by.hasAllScopes) throw narrowCredentials();
    const { actor, keepSession } = by;
    await this.options.recovery.changePassword(user, { password: passwords.next, actor, keepSession });
  }

  /** With the same bounds on guessing as signing in. */
  async #confirmPassword(user: UserRow, password: string | null, actor: Actor): Promise<void> {
    if (password === null) throw fieldError('current_password', 'required', 'is required');
    // strangers who guess elsewhere do not keep the owner from it
    const attempt = { email: user.email ?? '', address: actor.address ?? '', isKnownAddress: true };
    if (!(await this.#tryPassword(user, password, attempt))) {
      await this.#refuse(user, actor);
      const details = { current_password: [{ code: 'refused' as const, message: 'is wrong' }] };
      throw new ApiError('AUTH_CREDENTIALS_INVALID', { details });
    }
    await this.options.db.transaction((trx) => this.options.throttle.succeeded(trx, attempt));
  }

  async #tryPassword(user: UserRow | null, password: string, attempt: Attempt): Promise<boolean> {
    const { hasher, throttle } = this.options;
    await throttle.begin(attempt);
    try {
      const passwordHash = user?.password_hash ?? null;
      return passwordHash === null ? await hasher.pretend(password) : await hasher.isSame(passwordHash, password);
    } catch (error) {
      await throttle.undone(attempt);
      throw error;
    }
  }

  /** The same reads whoever it is. */
  async #attemptOf(email: string, address: string): Promise<Attempt> {
    const user = await findUserByEmail(this.options.db, email);
    const known = await listSessionAddresses(this.options.db, user?.id ?? '');
    const at = addressKey(address);
    return { email, address, isKnownAddress: known.some((earlier) => addressKey(earlier) === at) };
  }

  /** One entry whoever it was: an unknown account must not answer sooner. */
  #refuse(user: UserRow | null, actor: Actor, db: Knex = this.options.db): Promise<void> {
    const accountId = user?.id ?? null;
    return insertAuditEntry(db, { actor, accountId, action: 'session.refused', subject: accountId ?? 'unknown' });
  }

  /** Why somebody whose password was right does not get in. */
  #refusalOf(user: UserRow | null, provenHash: string | null): ErrorCode | null {
    if (user === null || user.deleted_at !== null || user.password_hash !== provenHash)
      return 'AUTH_CREDENTIALS_INVALID';
    if (user.disabled_at !== null) return 'AUTH_ACCOUNT_DISABLED';
    return this.options.needsVerifiedEmail && user.email_verified_at === null ? 'AUTH_EMAIL_NOT_VERIFIED' : null;
  }

  async #open(trx: Knex, user: UserRow, { client, actor }: SignInRequest): Promise<SignedIn> {
    const tokens = await this.options.sessions.open(trx, user.id, { methods: ['password'], client });
    await insertAuditEntry(trx, {
      actor: { ...actor, userId: user.id, credentialId: tokens.sessionId },
      accountId: user.id,
      action: 'session.created',
      subject: tokens.sessionId,
      details: { methods: ['password'] },
    });
    return { tokens, user: profileOf(user) };
  }
}

function emailTaken(): ApiError {
  const message = 'has an account already; sign in, or ask for a new password';
  return new ApiError('ACCOUNT_EMAIL_TAKEN', { details: { email: [{ code: 'conflict', message }] } });
}

function narrowCredentials(): ApiError {
  const message = 'needs credentials with every scope, or a link by mail: a password opens everything';
  return new ApiError('FORBIDDEN', { details: { new_password: [{ code: 'refused', message }] } });
}

function registrationClosed(): ApiError {
  const message = 'is closed here; ask the operator for an account';
  return new ApiError('FORBIDDEN', { details: { registration: [{ code: 'refused', message }] } });
}

declare module '../../http/route.js' {
  interface Services {
    readonly signIn: SignIn;
  }
}
