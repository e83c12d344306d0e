import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { type Actor, commandLine } from '../../actor.js';
import { ApiError } from '../../http/errors.js';
import type { Mail } from '../../mail/index.js';
import type { PlanName } from '../../plans.js';
import { type AuditAction, insertAuditEntry } from '../audit/index.js';
import { parseEmail } from './email.js';
import type { PasswordRules } from './password-rules.js';
import type { PasswordHasher } from './passwords.js';
import { localesOfProfiles, type Profile, type ProfileChange, planProfileChange, profileOf } from './profile.js';
import { revokeSessions } from './session-store.js';
import {
  eraseUser,
  findFirstAdmin,
  findUser,
  findUserByEmail,
  insertUser,
  listUsers,
  lockAdmins,
  lockUser,
  revokeTokens,
  type UserRow,
  updateUser,
} from './store.js';

/** A user as the command line shows it. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly role: 'user' | 'admin';
  readonly plan: PlanName;
  readonly status: 'active' | 'disabled';
  readonly created_at: string;
}

/** Sends letters to users, through the queue and in the caller's transaction. */
export type AccountMail = Pick<Mail, 'enqueue'>;

interface AccountsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly hasher: PasswordHasher;
  readonly rules: PasswordRules;
  readonly mail: AccountMail;
  /** Called after what a user's credentials open has changed. */
  readonly revoked: (userId: string) => void;
  /** Takes what a deleted account has with it, in the transaction that deletes it. */
  readonly releaseHoldings: (trx: Knex, userId: string, actor: Actor) => Promise<void>;
}

/** Users and their profiles. */
export class Accounts {
  constructor(private readonly options: AccountsOptions) {}

  /**
   * Makes a user with the plan `unlimited` and a verified address, as the operator does.
   * @throws ApiError ACCOUNT_EMAIL_TAKEN, VALIDATION_FAILED, AUTH_PASSWORD_WEAK
   */
  async createUser(request: { email: string; role: 'user' | 'admin'; password: string | null }): Promise<User> {
    const { db, clock, hasher, rules } = this.options;
    const { role, password } = request;
    const email = parseEmail(request.email);
    if (password !== null) await rules.refuseWeak(password, email);
    const passwordHash = password === null ? null : await hasher.hash(password);
    const now = clock.now();
    return db.transaction(async (trx) => {
      const row = await insertUser(trx, {
        id: newId(idPrefixes.user, now),
        email,
        role,
        plan: 'unlimited',
        password_hash: passwordHash,
        email_verified_at: new Date(now),
        created_at: new Date(now),
      });
      if (row === null) throw new ApiError('ACCOUNT_EMAIL_TAKEN');
      await audit(trx, row.id, { action: 'account.created', actor: commandLine });
      return toUser(row);
    });
  }

  /** @throws ApiError ACCOUNT_NOT_FOUND */
  async getUserByEmail(email: string): Promise<User> {
    const row = await findUserByEmail(this.options.db, email.trim().toLowerCase());
    if (row === null) throw new ApiError('ACCOUNT_NOT_FOUND');
    return toUser(row);
  }

  /** The admin who was made first. @throws ApiError ACCOUNT_NOT_FOUND when there is none */
  async getFirstAdmin(): Promise<User> {
    const row = await findFirstAdmin(this.options.db);
    if (row !== null) return toUser(row);
    const message = 'is missing: no admin exists, make one with user create --role admin';
    throw new ApiError('ACCOUNT_NOT_FOUND', { details: { user: [{ code: 'not_found', message }] } });
  }

  /** All users, newest first. */
  async listUsers(): Promise<User[]> {
    return (await listUsers(this.options.db)).map(toUser);
  }

  /** Shuts a user out, or lets them in again. Their credentials stay, and open nothing meanwhile. */
  async setDisabled(userId: string, isDisabled: boolean, actor: Actor): Promise<User> {
    const at = isDisabled ? new Date(this.options.clock.now()) : null;
    const action = isDisabled ? 'account.disabled' : 'account.enabled';
    return toUser(await this.#change(userId, { disabled_at: at }, { action, actor }));
  }

  /** @throws ApiError ACCOUNT_NOT_FOUND */
  async setPlan(userId: string, plan: PlanName, actor: Actor): Promise<User> {
    return toUser(await this.#change(userId, { plan }, { action: 'account.updated', actor, details: { plan } }));
  }

  /** @throws ApiError ACCOUNT_NOT_FOUND */
  async getProfile(userId: string): Promise<Profile> {
    const row = await findUser(this.options.db, userId);
    if (row === null) throw new ApiError('ACCOUNT_NOT_FOUND');
    return profileOf(row);
  }

  /** @throws ApiError ACCOUNT_LOCALE_UNSUPPORTED, ACCOUNT_TIMEZONE_INVALID, VALIDATION_FAILED */
  async changeProfile(userId: string, change: ProfileChange, actor: Actor): Promise<Profile> {
    const changes = planProfileChange(change);
    if (Object.keys(changes).length === 0) return this.getProfile(userId);
    const details = { fields: Object.keys(changes) };
    return profileOf(await this.#change(userId, changes, { action: 'account.updated', actor, details }));
  }

  /**
   * Deletes an account for good: what it knew of the person is gone, its credentials open nothing, its nodes leave. The
   * address is free again. @throws ApiError CONFLICT for the only administrator, ACCOUNT_NOT_FOUND
   */
  async delete(userId: string, actor: Actor): Promise<void> {
    const { db, clock, mail, releaseHoldings } = this.options;
    const at = new Date(clock.now());
    await db.transaction(async (trx) => {
      const admins = await lockAdmins(trx);
      const user = await lockUser(trx, userId);
      if (user === null || user.email === null) throw new ApiError('ACCOUNT_NOT_FOUND');
      if (user.role === 'admin' && admins.every((id) => id === userId)) throw onlyAdministrator();
      if (user.email_verified_at !== null) {
        const locale = localesOfProfiles[user.locale];
        const data = { at: at.toISOString() };
        await mail.enqueue(trx, { to: user.email, locale, template: 'account-deleted', data });
      }
      await revokeSessions(trx, userId, { at, reason: 'account deleted' });
      // before its nodes go: this waits for an agent that is enrolling by one of them
      await revokeTokens(trx, userId, at);
      await releaseHoldings(trx, userId, actor);
      await eraseUser(trx, userId, at);
      await audit(trx, userId, { action: 'account.deleted', actor });
    });
    this.options.revoked(userId);
  }

  async #change(userId: string, changes: Partial<UserRow>, act: Act): Promise<UserRow> {
    const row = await this.options.db.transaction(async (trx) => {
      const changed = await updateUser(trx, userId, changes);
      if (changed === null) throw new ApiError('ACCOUNT_NOT_FOUND');
      await audit(trx, userId, act);
      return changed;
    });
    this.options.revoked(userId);
    return row;
  }
}

interface Act {
  readonly action: AuditAction;
  readonly actor: Actor;
  readonly details?: Record<string, unknown>;
}

function audit(trx: Knex, userId: string, act: Act): Promise<void> {
  return insertAuditEntry(trx, { ...act, accountId: userId, subject: userId });
}

function onlyAdministrator(): ApiError {
  const message = 'is the only administrator; make another one first';
  return new ApiError('CONFLICT', { details: { account: [{ code: 'conflict', message }] } });
}

function toUser({ id, email, role, plan, disabled_at, created_at }: UserRow): User {
  const status = disabled_at === null ? 'active' : 'disabled';
  return { id, email: email ?? '', role, plan, status, created_at: created_at.toISOString() };
}

declare module '../../http/route.js' {
  interface Services {
    readonly accounts: Accounts;
  }
}
