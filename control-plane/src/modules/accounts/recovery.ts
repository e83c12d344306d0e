import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Actor } from '../../actor.js';
import { ApiError, fieldError } from '../../http/errors.js';
import type { Sealer } from '../../sealing.js';
import { insertAuditEntry } from '../audit/index.js';
import type { AccountMail } from './accounts.js';
import { type Challenges, challengeKinds } from './challenges.js';
import { parseEmail } from './email.js';
import { type PasswordRules, REMEMBERED_PASSWORDS } from './password-rules.js';
import type { PasswordHasher } from './passwords.js';
import { localesOfProfiles } from './profile.js';
import type { Sessions } from './sessions.js';
import {
  findUser,
  findUserByEmail,
  insertOldPassword,
  listOldPasswords,
  lockUser,
  revokeTokens,
  type UserRow,
  updateUser,
} from './store.js';

interface RecoveryOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly hasher: PasswordHasher;
  readonly rules: PasswordRules;
  readonly challenges: Challenges;
  readonly sessions: Sessions;
  readonly mail: AccountMail;
  readonly publicUrl: string;
  readonly revoked: (userId: string) => void;
  /** Seals wishes for a new password: they name addresses. */
  readonly sealer: Sealer;
  /** Has `sendReset` called in the background, in the transaction of the request: so its work takes nobody's time. */
  readonly enqueueReset: (trx: Knex, sealed: string) => Promise<unknown>;
}

/** Somebody asked for a new password for this address. */
interface ResetRequest {
  readonly email: string;
  /** Where it was asked from. */
  readonly address: string;
  readonly requestId: string | null;
}

/** Verified addresses and new passwords. */
export class Recovery {
  constructor(private readonly options: RecoveryOptions) {}

  /** Mails a link that verifies the user's address, unless it got several mails of late. */
  async mailVerification(trx: Knex, user: UserRow): Promise<void> {
    if (user.email === null) return;
    const { challenges, mail, publicUrl } = this.options;
    const kind = 'email_verification';
    const token = await challenges.issue(trx, { kind, userId: user.id, email: user.email });
    if (token === null) return;
    await mail.enqueue(trx, {
      to: user.email,
      locale: localesOfProfiles[user.locale],
      template: 'verify-email',
      data: {
        link: `${publicUrl}/verify-email#${token}`,
        token,
        expiresHours: challengeKinds[kind].lifeMs / 3_600_000,
      },
    });
  }

  /** Mails the link once more to somebody whose address is not verified. @throws ApiError CONFLICT when it is */
  async resendVerification(userId: string): Promise<void> {
    await this.options.db.transaction(async (trx) => {
      const user = await findUser(trx, userId);
      if (user === null) throw new ApiError('ACCOUNT_NOT_FOUND');
      if (user.email_verified_at !== null) throw new ApiError('CONFLICT');
      await this.mailVerification(trx, user);
    });
  }

  /** Verifies the address a token was mailed to; once more changes nothing. @throws ApiError AUTH_OTP_INVALID, AUTH_OTP_EXPIRED */
  async verifyEmail(token: string, actor: Actor): Promise<void> {
    const { db, clock, challenges, revoked } = this.options;
    const userId = await db.transaction(async (trx) => {
      const challenge = await challenges.find(trx, 'email_verification', token);
      const user = await findUser(trx, challenge.userId);
      if (user === null || user.email !== challenge.data['email']) throw new ApiError('AUTH_OTP_INVALID');
      if (user.email_verified_at !== null) return user.id;
      if (challenge.wasUsed) throw new ApiError('AUTH_OTP_INVALID');
      await challenges.consumeAll(trx, user.id, 'email_verification');
      await updateUser(trx, user.id, { email_verified_at: new Date(clock.now()) });
      await insertAuditEntry(trx, { actor, accountId: user.id, action: 'account.verified', subject: user.id });
      return user.id;
    });
    revoked(userId);
  }

  /** Takes note of a wish for a new password; the same work whoever's address it is. @throws ApiError VALIDATION_FAILED */
  async requestReset(emailText: string, { address, requestId }: Actor): Promise<void> {
    const { db, sealer, enqueueReset } = this.options;
    const request: ResetRequest = { email: parseEmail(emailText), address: address ?? '', requestId };
    const sealed = sealer.seal(Buffer.from(JSON.stringify(request))).toString('base64');
    await db.transaction((trx) => enqueueReset(trx, sealed));
  }

  /** Mails a link for a new password to whoever has the address of a sealed wish. @throws SealBrokenError */
  async sendReset(sealed: string): Promise<void> {
    const { db, sealer, challenges, mail, publicUrl } = this.options;
    const { email, address, requestId }: ResetRequest = JSON.parse(
      sealer.open(Buffer.from(sealed, 'base64')).toString(),
    );
    await db.transaction(async (trx) => {
      const user = await findUserByEmail(trx, email);
      if (user === null || user.disabled_at !== null) return;
      const kind = 'password_reset';
      const token = await challenges.issue(trx, { kind, userId: user.id, email });
      if (token === null) return;
      const data = {
        link: `${publicUrl}/reset-password#${token}`,
        token,
        expiresMinutes: challengeKinds[kind].lifeMs / 60_000,
        address,
      };
      await mail.enqueue(trx, { to: email, locale: localesOfProfiles[user.locale], template: 'reset-password', data });
      const actor = { userId: null, credentialId: null, address, requestId };
      await insertAuditEntry(trx, {
        actor,
        accountId: user.id,
        action: 'password.reset_requested',
        subject: user.id,
      });
    });
  }

  /**
   * Sets a new password by a mailed token, which proves the address too, and ends every session.
   * @throws ApiError AUTH_OTP_INVALID, AUTH_OTP_EXPIRED, AUTH_PASSWORD_WEAK, AUTH_PASSWORD_REUSED, AUTH_ACCOUNT_DISABLED, UNAVAILABLE
   */
  async resetPassword({ token, password }: { token: string; password: string }, actor: Actor): Promise<void> {
    const { db, clock, revoked } = this.options;
    // judged before the transaction: a hash takes longer than a lock should be held
    const { user } = await db.transaction((trx) => this.#resetChallenge(trx, token));
    const passwordHash = await this.#judge(user, password, 'password');
    await db.transaction(async (trx) => {
      const { user: current } = await this.#resetChallenge(trx, token);
      const at = new Date(clock.now());
      if (current.email_verified_at === null) await this.#takeOver(trx, current.id, at);
      const owner = { ...current, email_verified_at: current.email_verified_at ?? at };
      await this.#replace(trx, owner, { passwordHash, actor, keepSession: null, action: 'password.reset' });
    });
    revoked(user.id);
  }

  /** Sets a new password for somebody who proved the present one, and ends their other sessions. @throws as resetPassword */
  async changePassword(
    user: UserRow,
    { password, keepSession, actor }: { password: string; keepSession: string | null; actor: Actor },
  ): Promise<void> {
    const passwordHash = await this.#judge(user, password, 'new_password');
    await this.options.db.transaction(async (trx) => {
      const current = await lockUser(trx, user.id);
      // what was proven may have been replaced meanwhile
      if (current === null || current.password_hash !== user.password_hash)
        throw new ApiError('AUTH_CREDENTIALS_INVALID');
      await this.#replace(trx, current, { passwordHash, actor, keepSession, action: 'password.changed' });
    });
    this.options.revoked(user.id);
  }

  /** Whoever made the account may not have been whoever reads its mails: what they made for themselves opens nothing more. */
  async #takeOver(trx: Knex, userId: string, at: Date): Promise<void> {
    await updateUser(trx, userId, { email_verified_at: at });
    await revokeTokens(trx, userId, at);
  }

  async #resetChallenge(trx: Knex.Transaction, token: string): Promise<{ user: UserRow }> {
    const challenge = await this.options.challenges.find(trx, 'password_reset', token);
    const user = await findUser(trx, challenge.userId);
    const isTheirs = user !== null && user.email === challenge.data['email'];
    if (challenge.wasUsed || !isTheirs) throw new ApiError('AUTH_OTP_INVALID');
    if (user.disabled_at !== null) throw new ApiError('AUTH_ACCOUNT_DISABLED');
    return { user };
  }

  /** The hash of a password that is neither weak nor one of the last few. */
  async #judge(user: UserRow, password: string, field: string): Promise<string> {
    const { db, hasher, rules } = this.options;
    await rules.refuseWeak(password, user.email ?? '', field);
    const older = await listOldPasswords(db, user.id, REMEMBERED_PASSWORDS - 1);
    for (const passwordHash of [...(user.password_hash === null ? [] : [user.password_hash]), ...older]) {
      if (!(await hasher.isSame(passwordHash, password))) continue;
      const { details } = fieldError(
        field,
        'refused',
        `must not be one of your last ${REMEMBERED_PASSWORDS} passwords`,
      );
      throw new ApiError('AUTH_PASSWORD_REUSED', details === undefined ? {} : { details });
    }
    return hasher.hash(password);
  }

  async #replace(
    trx: Knex,
    user: UserRow,
    change: {
      passwordHash: string;
      actor: Actor;
      keepSession: string | null;
      action: 'password.reset' | 'password.changed';
    },
  ): Promise<void> {
    const { clock, sessions, mail, challenges } = this.options;
    const { passwordHash, actor, keepSession, action } = change;
    const at = new Date(clock.now());
    if (user.password_hash !== null) {
      const keep = REMEMBERED_PASSWORDS - 1;
      await insertOldPassword(trx, { userId: user.id, passwordHash: user.password_hash, at, keep });
    }
    await updateUser(trx, user.id, { password_hash: passwordHash, password_changed_at: at });
    await challenges.consumeAll(trx, user.id, 'password_reset');
    await sessions.endOthers(trx, user.id, { actor, except: keepSession, reason: 'password changed' });
    await insertAuditEntry(trx, { actor, accountId: user.id, action, subject: user.id });
    // to an address nobody has verified go no mails but those that verify it
    if (user.email === null || user.email_verified_at === null) return;
    const data = { at: at.toISOString(), address: actor.address ?? '' };
    await mail.enqueue(trx, {
      to: user.email,
      locale: localesOfProfiles[user.locale],
      template: 'password-changed',
      data,
    });
  }
}

declare module '../../http/route.js' {
  interface Services {
    readonly recovery: Recovery;
  }
}
