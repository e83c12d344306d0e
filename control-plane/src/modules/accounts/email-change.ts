import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Actor } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';
import { refuseRevoked } from '../../authentication/index.js';
import { afterCommit } from '../../db/after-commit.js';
import { ApiError, fieldError } from '../../http/errors.js';
import type { AccountMail } from './profile/account-mail.js';
import { parseDeliverableEmail } from './profile/email.js';
import { localesOfProfiles } from './profile/profile.js';
import type { SecurityNotices } from './profile/security-notices.js';
import { findUser, lockUser, replaceEmail, type UserRow } from './profile/store.js';
import type { Recovery } from './recovery/recovery.js';
import type { Sessions } from './sessions/sessions.js';
import { type Challenges, challengeKinds, type OpenChallenge } from './sign-in/challenges.js';
import type { PasswordCheck } from './sign-in/password-check.js';

interface EmailChangeOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly challenges: Challenges;
  readonly sessions: Sessions;
  readonly check: PasswordCheck;
  readonly recovery: Recovery;
  readonly notices: SecurityNotices;
  readonly mail: AccountMail;
  readonly publicUrl: string;
  readonly revoked: (userId: string) => void;
}

/** Session of a request; null if it has none. */
interface BySession {
  readonly actor: Actor;
  readonly session: { readonly userId: string; readonly sessionId: string } | null;
}

// Whoever owns an account may ask for any address, so that its reader confirms by mistake. Only a session or the password of the account
// shows that the reader of the new address is its owner; without them the account counts as one of two persons (ProofOfAddress).

/** Changes the address of accounts. */
export class EmailChange {
  constructor(private readonly options: EmailChangeOptions) {}

  /**
   * Mails a link to the new address, which stays without effect until it is confirmed; it is not said whether the address is taken. An
   * address that is not verified is replaced at once. @throws ApiError VALIDATION_FAILED, ACCOUNT_EMAIL_TAKEN
   */
  async request(
    userId: string,
    emailText: string,
    { actor, sessionId }: { actor: Actor; sessionId: string },
  ): Promise<void> {
    const email = parseDeliverableEmail(emailText);
    await this.options.db.transaction(async (trx) => {
      const user = await lockUser(trx, userId);
      if (user === null) throw new ApiError('ACCOUNT_NOT_FOUND');
      await refuseRevoked(trx, actor);
      if (user.email === email) throw fieldError('email', 'refused', 'is the address of the account already');
      if (user.email_verified_at !== null) return this.#mailLink(trx, user, email, actor);
      const by = { actor, session: { userId, sessionId } };
      await this.#replace(trx, user, { email, changes: {}, by });
      await this.options.recovery.mailVerification(trx, { ...user, email });
    });
  }

  /**
   * Gives an account the address that a token was mailed to. Other sessions end, and so do the links that were mailed to the old address,
   * which is told. @throws ApiError AUTH_OTP_INVALID, AUTH_OTP_EXPIRED, ACCOUNT_EMAIL_TAKEN, AUTH_ACCOUNT_DISABLED, AUTH_CREDENTIALS_INVALID
   */
  async confirm({ token, password }: { token: string; password?: string | undefined }, by: BySession): Promise<void> {
    const { db, clock, challenges, check, notices } = this.options;
    const { user: asked } = await db.transaction((trx) => this.#mailed(trx, token));
    if (password !== undefined) await check.prove({ user: asked, password, actor: by.actor, field: 'password' });
    await db.transaction(async (trx) => {
      const { user, challenge } = await this.#mailed(trx, token);
      // the proven password may have been replaced meanwhile
      if (password !== undefined && user.password_hash !== asked.password_hash)
        throw new ApiError('AUTH_CREDENTIALS_INVALID');
      await challenges.use(trx, challenge);
      const email = String(challenge.data['email']);
      const isOwner = password !== undefined || by.session?.userId === user.id;
      const at = new Date(clock.now());
      const changes = { email_verified_at: at, proven_at: isOwner ? (user.proven_at ?? at) : null };
      await this.#replace(trx, user, { email, changes, by });
      await notices.enqueue(trx, user, { kind: 'email.changed', name: email, actor: by.actor });
    });
  }

  async #mailLink(trx: Knex, user: UserRow, email: string, actor: Actor): Promise<void> {
    const { challenges, mail, publicUrl } = this.options;
    const kind = 'email_change';
    await challenges.consumeAll(trx, user.id, kind);
    const token = await challenges.issue(trx, { kind, userId: user.id, email });
    await insertAuditEntry(trx, {
      actor,
      accountId: user.id,
      action: 'account.email_change_requested',
      subject: user.id,
    });
    if (token === null) return;
    await mail.enqueue(trx, {
      to: email,
      locale: localesOfProfiles[user.locale],
      template: 'confirm-email',
      data: {
        link: `${publicUrl}/confirm-email#${token}`,
        token,
        expiresHours: challengeKinds[kind].lifeMs / 3_600_000,
      },
    });
  }

  async #replace(
    trx: Knex,
    { id }: UserRow,
    { email, changes, by: { actor, session } }: { email: string; changes: Partial<UserRow>; by: BySession },
  ): Promise<void> {
    const { challenges, sessions, revoked } = this.options;
    if (!(await replaceEmail(trx, id, email, changes))) throw emailTaken();
    for (const kind of [
      'email_verification',
      'password_reset',
      'sign_in_confirmation',
      'email_code',
      'email_change',
    ] as const)
      await challenges.consumeAll(trx, id, kind);
    const except = session?.userId === id ? session.sessionId : null;
    await sessions.endOthers(trx, id, { actor, except, reason: 'address changed' });
    await insertAuditEntry(trx, { actor, accountId: id, action: 'account.email_changed', subject: id });
    afterCommit(trx, () => revoked(id));
  }

  /** Unused token for a new address, and its user, locked. */
  async #mailed(trx: Knex.Transaction, token: string): Promise<{ user: UserRow; challenge: OpenChallenge }> {
    const challenge = await this.options.challenges.find(trx, 'email_change', token);
    const user = await findUser(trx, challenge.userId);
    if (user === null || user.deleting_at !== null) throw new ApiError('AUTH_OTP_INVALID');
    if (user.disabled_at !== null) throw new ApiError('AUTH_ACCOUNT_DISABLED');
    return { user, challenge };
  }
}

function emailTaken(): ApiError {
  const message = 'has an account already';
  return new ApiError('ACCOUNT_EMAIL_TAKEN', { details: { email: [{ code: 'conflict', message }] } });
}
