import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { type Actor, program } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';
import { afterCommit } from '../../db/after-commit.js';
import { requireFresh } from '../../http/access.js';
import { ApiError } from '../../http/errors.js';
import type { Freshness } from '../../http/route.js';
import type { Suspension } from '../../owners/index.js';
import type { AccountMail } from './profile/account-mail.js';
import { localesOfProfiles } from './profile/profile.js';
import { findUser, lockUser, type UserRow, updateUser } from './profile/store.js';
import { revokeSessions } from './sessions/session-store.js';
import { type Challenges, challengeKinds } from './sign-in/challenges.js';
import type { PasswordCheck } from './sign-in/password-check.js';
import { lockLeaving, type Users } from './users.js';

// deleted by its owner ──14 days──► erased by a job (Users.delete)
//        └─ the mailed link, or an administrator ─► restored

interface AccountDeletionOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly users: Users;
  readonly check: PasswordCheck;
  readonly challenges: Challenges;
  readonly mail: AccountMail;
  readonly publicUrl: string;
  /** Stops and continues the work of all modules for an account. */
  readonly holdings: Suspension;
  /** Called after the access that a user's credentials give has changed. */
  readonly revoked: (userId: string) => void;
  /** Schedules a call of `erase`, in place of an earlier one for the account. */
  readonly enqueueErasure: (trx: Knex, userId: string, at: Date) => Promise<unknown>;
}

/** Evidence that the caller is the owner, beyond a session that may have been taken over. */
export interface OwnerEvidence {
  /** Null if the request has none. */
  readonly password: string | null;
  readonly freshness: Freshness;
}

/** Author of an act, and the reason that an administrator gave. */
interface ActDetails {
  readonly actor: Actor;
  readonly details?: { readonly reason?: string };
}

/** Deletes accounts at their owners' request, and restores them. */
export class AccountDeletion {
  constructor(private readonly options: AccountDeletionOptions) {}

  /**
   * Ends all access to an account and erases it in 14 days; until then the link in a mail restores it. An account whose address is not
   * verified is erased at once: no mail may go to it. The password stands for a fresh session if the account has no second factor.
   * @throws ApiError AUTH_2FA_REQUIRED, AUTH_CREDENTIALS_INVALID, RATE_LIMIT_EXCEEDED, CONFLICT for the only administrator
   */
  async delete(userId: string, { password, freshness }: OwnerEvidence, actor: Actor): Promise<void> {
    const { db, users, check } = this.options;
    const user = await findUser(db, userId);
    if (user === null) throw new ApiError('ACCOUNT_NOT_FOUND');
    if (password !== null && freshness.factors.includes('password'))
      await check.prove({ user, password, actor, field: 'password' });
    else requireFresh({ freshness });
    if (user.email_verified_at === null) await users.delete(userId, actor);
    else await db.transaction((trx) => this.#begin(trx, userId, { actor }));
  }

  /** As `delete`, for an administrator. @throws ApiError ACCOUNT_NOT_FOUND, CONFLICT */
  async deleteByAdministrator(userId: string, act: ActDetails): Promise<void> {
    const { db, users } = this.options;
    const user = await findUser(db, userId);
    if (user === null) throw new ApiError('ACCOUNT_NOT_FOUND');
    if (user.deleting_at !== null) throw alreadyDeleting();
    if (user.email_verified_at === null) await users.delete(userId, act.actor, act.details);
    else await db.transaction((trx) => this.#begin(trx, userId, act));
  }

  /** Restores an account with the token of the mail; its sessions stay ended. @throws ApiError AUTH_OTP_INVALID, AUTH_OTP_EXPIRED */
  async restore(token: string, actor: Actor): Promise<void> {
    const { db, challenges } = this.options;
    await db.transaction(async (trx) => {
      const challenge = await challenges.find(trx, 'account_restore', token);
      await challenges.use(trx, challenge);
      const user = await lockUser(trx, challenge.userId);
      if (user === null || user.deleting_at === null) throw new ApiError('AUTH_OTP_INVALID');
      await this.restoreUser(trx, user, { actor });
    });
  }

  /** Restores a locked account that is to be erased, in the caller's transaction. */
  async restoreUser(trx: Knex, { id }: Pick<UserRow, 'id'>, act: ActDetails): Promise<void> {
    const { challenges, holdings, revoked } = this.options;
    await updateUser(trx, id, { deleting_at: null });
    await challenges.consumeAll(trx, id, 'account_restore');
    await holdings.resume(trx, { id }, act.actor);
    await insertAuditEntry(trx, { ...act, accountId: id, action: 'account.restored', subject: id });
    afterCommit(trx, () => revoked(id));
  }

  /** Erases an account whose time is up; no effect on others. */
  erase(userId: string): Promise<void> {
    return this.options.users.delete(userId, program, { onlyDue: true });
  }

  async #begin(trx: Knex.Transaction, userId: string, { actor, details: why }: ActDetails): Promise<void> {
    const { clock, challenges, holdings, enqueueErasure, revoked } = this.options;
    const user = await lockLeaving(trx, userId, actor);
    const now = clock.now();
    const until = new Date(now + challengeKinds.account_restore.lifeMs);
    await updateUser(trx, userId, { deleting_at: until });
    await revokeSessions(trx, userId, { at: new Date(now), reason: 'account deleted' });
    await holdings.suspend(trx, { id: userId }, actor);
    await enqueueErasure(trx, userId, until);
    const details = { until: until.toISOString(), ...why };
    const entry = { actor, accountId: userId, action: 'account.deletion_requested', subject: userId, details } as const;
    await insertAuditEntry(trx, entry);
    const token = await challenges.open(trx, { kind: 'account_restore', userId });
    await this.#mail(trx, user, { token, until });
    afterCommit(trx, () => revoked(userId));
  }

  async #mail(trx: Knex, user: UserRow, { token, until }: { token: string; until: Date }): Promise<void> {
    if (user.email === null) return;
    const { mail, publicUrl } = this.options;
    await mail.enqueue(trx, {
      to: user.email,
      locale: localesOfProfiles[user.locale],
      timezone: user.timezone,
      template: 'account-deleting',
      data: { link: `${publicUrl}/restore-account#${token}`, token, until: until.toISOString() },
    });
  }
}

function alreadyDeleting(): ApiError {
  const message = 'is to be erased already';
  return new ApiError('CONFLICT', { details: { account: [{ code: 'conflict', message }] } });
}
