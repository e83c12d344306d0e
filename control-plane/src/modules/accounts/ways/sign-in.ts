import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import type { Actor } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { ApiError, fieldError } from '../../../http/errors.js';
import type { Locale } from '../../../http/locale.js';
import type { Completion, SignedIn, SignInBy } from '../completion/completion.js';
import type { PasswordRules } from '../passwords/password-rules.js';
import type { PasswordHasher } from '../passwords/passwords.js';
import { parseDeliverableEmail, parseEmail } from '../profile/email.js';
import { profileLocaleOf } from '../profile/profile.js';
import { findUser, findUserByEmail, insertUser, lockUser, type UserRow } from '../profile/store.js';
import type { Recovery } from '../recovery/recovery.js';
import type { TokenPair } from '../sessions/sessions.js';
import type { PasswordCheck } from '../sign-in/password-check.js';
import { registrationClosed } from '../sign-in/registration-closed.js';

interface SignInOptions<T extends { readonly sessionId: string }> {
  readonly db: Knex;
  readonly clock: Clock;
  readonly hasher: PasswordHasher;
  readonly rules: PasswordRules;
  readonly completion: Completion<T>;
  readonly recovery: Recovery;
  readonly check: PasswordCheck;
  /** True if anyone may register an account. */
  readonly isRegistrationOpen: boolean;
}

/** Request to sign in or to register. */
export interface SignInRequest extends SignInBy {
  readonly email: string;
  readonly password: string;
  /** Code of a second factor. */
  readonly otp?: string | undefined;
}

/** Registers accounts and signs users in by their password. */
export class SignIn<T extends { readonly sessionId: string } = TokenPair> {
  constructor(private readonly options: SignInOptions<T>) {}

  /**
   * Creates an account with the plan `free`, signs in, and mails a link that verifies the address.
   * @throws ApiError FORBIDDEN, VALIDATION_FAILED, AUTH_PASSWORD_WEAK, ACCOUNT_EMAIL_TAKEN, UNAVAILABLE
   */
  async register(request: SignInRequest, locale: Locale): Promise<SignedIn<T>> {
    const { clock, hasher, rules, completion, isRegistrationOpen } = this.options;
    if (!isRegistrationOpen) throw registrationClosed();
    const email = parseDeliverableEmail(request.email);
    await rules.refuseWeak(request.password, email);
    const passwordHash = await hasher.hash(request.password);
    const now = clock.now();
    return completion.run(async (trx) => {
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
      return completion.complete(trx, user, { proofs: ['registration'], by: request });
    });
  }

  /**
   * Signs in with a password, and the code of a second factor where the account has one. Neither the response nor its time shows if the
   * account exists.
   * @throws ApiError AUTH_CREDENTIALS_INVALID, RATE_LIMIT_EXCEEDED, AUTH_2FA_REQUIRED, AUTH_2FA_INVALID, UNAVAILABLE, and refusals of judgeSignIn
   */
  async login(request: SignInRequest): Promise<SignedIn<T>> {
    const { db, check, completion } = this.options;
    const email = parseEmail(request.email);
    const { password, actor } = request;
    const user = await findUserByEmail(db, email);
    const counted = await check.compare({ user, email, password, actor, isSignedIn: false, field: 'password' });
    if (counted === null || user === null) throw new ApiError('AUTH_CREDENTIALS_INVALID');
    await db.transaction((trx) => check.accept(trx, counted));
    const proofs = await completion.withSecondFactor(user, ['password'], request);
    return completion.run(async (trx) => {
      // read again: hashing takes time, and a password that was replaced meanwhile is invalid
      const current = await lockUser(trx, user.id);
      const isProven = current !== null && current.password_hash === user.password_hash && current.deleted_at === null;
      if (isProven) return completion.complete(trx, current, { proofs, by: request });
      await check.refuse({ user, actor }, trx);
      return new ApiError('AUTH_CREDENTIALS_INVALID');
    });
  }

  /**
   * Verifies an address with the mailed token and the password of the account, with the same limits on wrong passwords as
   * sign-in. Nothing is revoked. A token works once.
   * @throws ApiError AUTH_OTP_INVALID, AUTH_OTP_EXPIRED, AUTH_CREDENTIALS_INVALID, RATE_LIMIT_EXCEEDED, UNAVAILABLE
   */
  async verifyEmail(mailed: { readonly token: string; readonly password: string }, actor: Actor): Promise<void> {
    const { recovery, check } = this.options;
    const user = await recovery.findMailed(mailed.token);
    await check.prove({ user, password: mailed.password, actor, field: 'password' });
    await recovery.verifyWithPassword(mailed.token, user.password_hash, actor);
  }

  /**
   * Sets a new password, after the present one, if any, was proven. Ends all sessions except `keepSession`.
   * @throws ApiError AUTH_CREDENTIALS_INVALID, RATE_LIMIT_EXCEEDED, VALIDATION_FAILED, FORBIDDEN and as Recovery.changePassword
   */
  async changePassword(
    userId: string,
    passwords: { readonly current: string | null; readonly next: string },
    by: { readonly actor: Actor; readonly keepSession: string | null; readonly hasAllScopes: boolean },
  ): Promise<void> {
    const user = await findUser(this.options.db, userId);
    if (user === null) throw new ApiError('ACCOUNT_NOT_FOUND');
    if (user.password_hash !== null) await this.#provePresent(user, passwords.current, by.actor);
    // a password gives full access, so credentials with fewer scopes must not set the first one
    else if (!by.hasAllScopes) throw narrowCredentials();
    const { actor, keepSession } = by;
    await this.options.recovery.changePassword(user, { password: passwords.next, actor, keepSession });
  }

  async #provePresent(user: UserRow, password: string | null, actor: Actor): Promise<void> {
    if (password === null) throw fieldError('current_password', 'required', 'is required');
    await this.options.check.prove({ user, password, actor, field: 'current_password' });
  }
}

function emailTaken(): ApiError {
  const message = 'has an account already; sign in, or request a new password';
  return new ApiError('ACCOUNT_EMAIL_TAKEN', { details: { email: [{ code: 'conflict', message }] } });
}

function narrowCredentials(): ApiError {
  const message = 'needs credentials with all scopes, or a mailed link, since a password gives full access';
  return new ApiError('FORBIDDEN', { details: { new_password: [{ code: 'refused', message }] } });
}
