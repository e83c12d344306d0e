import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Actor } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { refuseRevoked } from '../../../authentication/index.js';
import type { Sealer } from '../../../crypto/sealing.js';
import { ApiError } from '../../../http/errors.js';
import type { AccountMail } from '../profile/account-mail.js';
import { parseDeliverableEmail } from '../profile/email.js';
import { localesOfProfiles } from '../profile/profile.js';
import { findUser, findUserByEmail, lockUser, type UserRow } from '../profile/store.js';
import type { Sessions } from '../sessions/sessions.js';
import { type ChallengeKind, type Challenges, challengeKinds, type OpenChallenge } from '../sign-in/challenges.js';
import type { SignInThrottle } from '../sign-in/sign-in-throttle.js';
import type { PasswordChanges } from './password-changes.js';
import type { ProofOfAddress } from './proof-of-address.js';

interface RecoveryOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly challenges: Challenges;
  readonly sessions: Sessions;
  readonly passwords: PasswordChanges;
  readonly proofs: ProofOfAddress;
  readonly throttle: SignInThrottle;
  readonly mail: AccountMail;
  readonly publicUrl: string;
  readonly revoked: (userId: string) => void;
  /** Seals requests for a new password: they contain addresses. */
  readonly sealer: Sealer;
  /** Schedules a call of `sendReset` in the transaction of the request, so that its work does not delay the response. */
  readonly enqueueReset: (trx: Knex, sealed: string) => Promise<unknown>;
}

/** Request for a new password for an address. */
interface ResetRequest {
  readonly email: string;
  /** IP address of the request. */
  readonly address: string;
  readonly requestId: string | null;
}

/** An unused mailed token, and the user it was mailed to. */
interface Mailed {
  readonly user: UserRow;
  readonly challenge: OpenChallenge;
}

/** Verifies addresses and sets new passwords. */
export class Recovery {
  constructor(private readonly options: RecoveryOptions) {}

  /** Mails a link that verifies the user's address, unless the address has reached the hourly limit of mails. */
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

  /** Mails the link again. @throws ApiError CONFLICT when the address is verified, ACCOUNT_NOT_FOUND */
  async resendVerification(userId: string): Promise<void> {
    await this.options.db.transaction(async (trx) => {
      const user = await findUser(trx, userId);
      if (user === null) throw new ApiError('ACCOUNT_NOT_FOUND');
      if (user.email_verified_at !== null) throw new ApiError('CONFLICT');
      await this.mailVerification(trx, user);
    });
  }

  /**
   * Verifies the address that a token was mailed to. `sessionOf`: user of the session of the request; null if there is no session. Outside
   * a session of the account itself, all access to the account is revoked. A token works once.
   * @throws ApiError AUTH_OTP_INVALID, AUTH_OTP_EXPIRED
   */
  async verifyEmail(token: string, actor: Actor, sessionOf: string | null = null): Promise<void> {
    const { proofs } = this.options;
    await this.#verify(token, actor, (trx, user) =>
      user.id === sessionOf ? proofs.withCredential(trx, user) : proofs.alone(trx, user, actor),
    );
  }

  /**
   * Verifies the address with the token and the password of the account, which was compared with `passwordHash`: the person
   * who registered reads the mail, so nothing is revoked. @throws as verifyEmail, and ApiError AUTH_CREDENTIALS_INVALID
   */
  async verifyWithPassword(token: string, passwordHash: string | null, actor: Actor): Promise<void> {
    await this.#verify(token, actor, (trx, user) => {
      // the proven password may have been replaced meanwhile
      if (user.password_hash !== passwordHash) throw new ApiError('AUTH_CREDENTIALS_INVALID');
      return this.options.proofs.withCredential(trx, user);
    });
  }

  /** Verifies the address and sets a password, as a reset does. The token works once. @throws as resetPassword */
  async verifyWithNewPassword({ token, password }: { token: string; password: string }, actor: Actor): Promise<void> {
    const { db, passwords, proofs } = this.options;
    const { user } = await db.transaction((trx) => this.#unverified(trx, token));
    const passwordHash = await passwords.judge(user, password, 'new_password');
    await db.transaction(async (trx) => {
      const { user: current, challenge } = await this.#unverified(trx, token);
      await this.options.challenges.use(trx, challenge);
      await this.#markVerified(trx, current, actor);
      const changed = await passwords.replace(trx, current, { passwordHash, actor, action: 'password.reset' });
      await proofs.withNewPassword(trx, changed, actor);
      await this.#endWaits(trx, current, actor);
    });
  }

  /** Returns the user whose address a token verifies; the token stays unused. @throws as verifyEmail */
  findMailed(token: string): Promise<UserRow> {
    return this.options.db.transaction(async (trx) => (await this.#verificationOf(trx, token)).user);
  }

  /** Accepts a request for a new password, with the same work for every address. @throws ApiError VALIDATION_FAILED */
  async requestReset(emailText: string, { address, requestId }: Actor): Promise<void> {
    const { db, sealer, enqueueReset } = this.options;
    const request: ResetRequest = { email: parseDeliverableEmail(emailText), address: address ?? '', requestId };
    const sealed = sealer.seal(Buffer.from(JSON.stringify(request))).toString('base64');
    await db.transaction((trx) => enqueueReset(trx, sealed));
  }

  /** Mails a link for a new password to the user with the address of a sealed request, if any. @throws SealBrokenError */
  async sendReset(sealed: string): Promise<void> {
    const { db, sealer, challenges, mail, publicUrl } = this.options;
    const { email, address, requestId }: ResetRequest = JSON.parse(
      sealer.open(Buffer.from(sealed, 'base64')).toString(),
    );
    await db.transaction(async (trx) => {
      const user = await findUserByEmail(trx, email);
      if (user === null || user.disabled_at !== null || user.deleting_at !== null) return;
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
   * Sets a new password with a mailed token, which proves the address too: all earlier access to the account is revoked, and
   * all waits for wrong passwords end.
   * @throws ApiError AUTH_OTP_INVALID, AUTH_OTP_EXPIRED, AUTH_PASSWORD_WEAK, AUTH_PASSWORD_REUSED, AUTH_ACCOUNT_DISABLED,
   * UNAVAILABLE
   */
  async resetPassword({ token, password }: { token: string; password: string }, actor: Actor): Promise<void> {
    const { db, challenges, passwords, proofs } = this.options;
    const { user } = await db.transaction((trx) => this.#resetChallenge(trx, token));
    const passwordHash = await passwords.judge(user, password, 'password');
    await db.transaction(async (trx) => {
      const { user: current, challenge } = await this.#resetChallenge(trx, token);
      await challenges.use(trx, challenge);
      await challenges.consumeAll(trx, current.id, 'email_verification');
      const changed = await passwords.replace(trx, current, { passwordHash, actor, action: 'password.reset' });
      await proofs.withNewPassword(trx, changed, actor);
      await this.#endWaits(trx, current, actor);
    });
  }

  /** Sets a new password for a user who proved the present one, and ends their other sessions. @throws as resetPassword, and as refuseRevoked */
  async changePassword(
    user: UserRow,
    { password, keepSession, actor }: { password: string; keepSession: string | null; actor: Actor },
  ): Promise<void> {
    const { db, sessions, passwords } = this.options;
    const passwordHash = await passwords.judge(user, password, 'new_password');
    await db.transaction(async (trx) => {
      const current = await lockUser(trx, user.id);
      await refuseRevoked(trx, actor);
      // the proven password may have been replaced meanwhile
      if (current === null || current.password_hash !== user.password_hash)
        throw new ApiError('AUTH_CREDENTIALS_INVALID');
      await passwords.replace(trx, current, { passwordHash, actor, action: 'password.changed' });
      await sessions.endOthers(trx, current.id, { actor, except: keepSession, reason: 'password changed' });
      await this.#mailChanged(trx, current, actor);
    });
    this.options.revoked(user.id);
  }

  async #verify(
    token: string,
    actor: Actor,
    prove: (trx: Knex.Transaction, user: UserRow) => Promise<void>,
  ): Promise<void> {
    await this.options.db.transaction(async (trx) => {
      const { user, challenge } = await this.#verificationOf(trx, token);
      await this.options.challenges.use(trx, challenge);
      if (user.email_verified_at !== null) return;
      await this.#markVerified(trx, user, actor);
      await prove(trx, user);
    });
  }

  /** Returns the unused token that verifies an address, and its user, locked. */
  #verificationOf(trx: Knex.Transaction, token: string): Promise<Mailed> {
    return this.#mailed(trx, 'email_verification', token);
  }

  /** As `#verificationOf`, for a token that also sets a password: the address must not be verified yet. */
  async #unverified(trx: Knex.Transaction, token: string): Promise<Mailed> {
    const mailed = await this.#verificationOf(trx, token);
    if (mailed.user.email_verified_at !== null) throw new ApiError('AUTH_OTP_INVALID');
    if (mailed.user.disabled_at !== null) throw new ApiError('AUTH_ACCOUNT_DISABLED');
    return mailed;
  }

  async #markVerified(trx: Knex, { id }: UserRow, actor: Actor): Promise<void> {
    await this.options.challenges.consumeAll(trx, id, 'email_verification');
    await insertAuditEntry(trx, { actor, accountId: id, action: 'account.verified', subject: id });
  }

  async #resetChallenge(trx: Knex.Transaction, token: string): Promise<Mailed> {
    const mailed = await this.#mailed(trx, 'password_reset', token);
    if (mailed.user.disabled_at !== null) throw new ApiError('AUTH_ACCOUNT_DISABLED');
    return mailed;
  }

  async #mailed(trx: Knex.Transaction, kind: ChallengeKind, token: string): Promise<Mailed> {
    const challenge = await this.options.challenges.find(trx, kind, token);
    const user = await findUser(trx, challenge.userId);
    if (user === null || user.email !== challenge.data['email']) throw new ApiError('AUTH_OTP_INVALID');
    return { user, challenge };
  }

  /** Ends the waits of an owner who was reached by mail: wrong passwords of others no longer delay them. */
  async #endWaits(trx: Knex.Transaction, { id: userId, email }: UserRow, { address }: Actor): Promise<void> {
    if (email !== null) await this.options.throttle.letIn(trx, { userId, email, address: address ?? '' });
  }

  async #mailChanged(trx: Knex, user: UserRow, actor: Actor): Promise<void> {
    // an unverified address gets only mails that verify it
    if (user.email === null || user.email_verified_at === null) return;
    const data = { at: new Date(this.options.clock.now()).toISOString(), address: actor.address ?? '' };
    const locale = localesOfProfiles[user.locale];
    await this.options.mail.enqueue(trx, {
      to: user.email,
      locale,
      timezone: user.timezone,
      template: 'password-changed',
      data,
    });
  }
}
