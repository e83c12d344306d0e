import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { type AuditAction } from '../../audit-log/actions.js';
import { type Actor, commandLine } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';
import { refuseRevoked } from '../../authentication/index.js';
import { ApiError } from '../../http/errors.js';
import { type Release, updatePlan } from '../../owners/index.js';
import type { PlanName } from '../../plans/index.js';
import type { PasswordRules } from './passwords/password-rules.js';
import type { PasswordHasher } from './passwords/passwords.js';
import type { AccountMail } from './profile/account-mail.js';
import { parseDeliverableEmail, parseEmail } from './profile/email.js';
import {
  localesOfProfiles,
  type Profile,
  type ProfileChange,
  planProfileChange,
  profileOf,
} from './profile/profile.js';
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
  type UserChanges,
  type UserRow,
  updateUser,
} from './profile/store.js';
import { revokeSessions } from './sessions/session-store.js';

/** A user as the command line shows it. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly role: 'user' | 'admin';
  readonly plan: PlanName;
  /** `deleting`: its owner deleted it, and it is erased soon. */
  readonly status: 'active' | 'disabled' | 'deleting';
  readonly created_at: string;
}

interface UsersOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly hasher: PasswordHasher;
  readonly rules: PasswordRules;
  readonly mail: AccountMail;
  /** Called after the access that a user's credentials give has changed. */
  readonly revoked: (userId: string) => void;
  /** Releases everything that a deleted account owns, in the transaction that deletes it. */
  readonly releaseHoldings: Release;
}

/** Users and their profiles. */
export class Users {
  constructor(private readonly options: UsersOptions) {}

  /**
   * Creates a user with the plan `unlimited` and a verified address, on behalf of the operator, who vouches for both.
   * @throws ApiError ACCOUNT_EMAIL_TAKEN, VALIDATION_FAILED, AUTH_PASSWORD_WEAK
   */
  async createUser(request: { email: string; role: 'user' | 'admin'; password: string | null }): Promise<User> {
    const { db, clock, hasher, rules } = this.options;
    const { role, password } = request;
    const email = parseDeliverableEmail(request.email);
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
        proven_at: new Date(now),
        created_at: new Date(now),
      });
      if (row === null) throw new ApiError('ACCOUNT_EMAIL_TAKEN');
      await audit(trx, row.id, { action: 'account.created', actor: commandLine });
      return toUser(row);
    });
  }

  /** Finds a user by e-mail address. @throws ApiError ACCOUNT_NOT_FOUND, VALIDATION_FAILED */
  async getUserByEmail(email: string): Promise<User> {
    const row = await findUserByEmail(this.options.db, parseEmail(email));
    if (row === null) throw new ApiError('ACCOUNT_NOT_FOUND');
    return toUser(row);
  }

  /** Returns the oldest admin. @throws ApiError ACCOUNT_NOT_FOUND when there is none */
  async getFirstAdmin(): Promise<User> {
    const row = await findFirstAdmin(this.options.db);
    if (row !== null) return toUser(row);
    const message = 'is missing: no admin exists, create one with user create --role admin';
    throw new ApiError('ACCOUNT_NOT_FOUND', { details: { user: [{ code: 'not_found', message }] } });
  }

  /** True if an admin exists. */
  async hasAdmin(): Promise<boolean> {
    return (await findFirstAdmin(this.options.db)) !== null;
  }

  /** Lists all users, newest first. */
  async listUsers(): Promise<User[]> {
    return (await listUsers(this.options.db)).map(toUser);
  }

  /**
   * Disables or enables a user. Disabling ends the sessions for good: a person who took one over would have it again. Keys and tokens of a
   * disabled user are kept, and give no access.
   */
  async setDisabled(userId: string, isDisabled: boolean, actor: Actor): Promise<User> {
    const at = new Date(this.options.clock.now());
    const action = isDisabled ? 'account.disabled' : 'account.enabled';
    const write = async (trx: Knex) => {
      // first: a caller that opens or refreshes a session waits for the row of the user, or is waited for
      const changed = await updateUser(trx, userId, { disabled_at: isDisabled ? at : null });
      if (isDisabled) await revokeSessions(trx, userId, { at, reason: 'account disabled' });
      return changed;
    };
    return toUser(await this.#perform(userId, { action, actor }, write));
  }

  /** Sets the plan of a user. @throws ApiError ACCOUNT_NOT_FOUND */
  async setPlan(userId: string, plan: PlanName, actor: Actor): Promise<User> {
    const act = { action: 'account.updated', actor, details: { plan } } as const;
    return toUser(await this.#perform(userId, act, (trx) => this.#updatePlan(trx, userId, plan)));
  }

  /** Returns the profile of a user. @throws ApiError ACCOUNT_NOT_FOUND */
  async getProfile(userId: string): Promise<Profile> {
    const row = await findUser(this.options.db, userId);
    if (row === null) throw new ApiError('ACCOUNT_NOT_FOUND');
    return profileOf(row);
  }

  /** Updates the profile of a user. @throws ApiError ACCOUNT_LOCALE_UNSUPPORTED, ACCOUNT_TIMEZONE_INVALID, VALIDATION_FAILED */
  async changeProfile(userId: string, change: ProfileChange, actor: Actor): Promise<Profile> {
    const changes = planProfileChange(change);
    if (Object.keys(changes).length === 0) return this.getProfile(userId);
    const details = { fields: Object.keys(changes) };
    return profileOf(await this.#change(userId, changes, { action: 'account.updated', actor, details }));
  }

  /**
   * Deletes an account permanently: erases personal data, revokes its credentials and releases what it owns. The address may be
   * registered again. `onlyDue`: no effect unless its owner deleted it and its time is up.
   * @throws ApiError CONFLICT for the only administrator, ACCOUNT_NOT_FOUND
   */
  async delete(
    userId: string,
    actor: Actor,
    { onlyDue = false, reason }: { onlyDue?: boolean; reason?: string } = {},
  ): Promise<void> {
    const { db, clock, mail, releaseHoldings } = this.options;
    const at = new Date(clock.now());
    await db.transaction(async (trx) => {
      if (onlyDue && !(await isDue(trx, userId, at))) return;
      const user = await lockLeaving(trx, userId, actor);
      if (user.email !== null && user.email_verified_at !== null) {
        const locale = localesOfProfiles[user.locale];
        const data = { at: at.toISOString() };
        await mail.enqueue(trx, { to: user.email, locale, timezone: user.timezone, template: 'account-deleted', data });
      }
      await revokeSessions(trx, userId, { at, reason: 'account deleted' });
      // before its nodes are deleted: this waits for an agent that is enrolling with one of the tokens
      await revokeTokens(trx, userId, at);
      await releaseHoldings(trx, { id: userId }, actor);
      await eraseUser(trx, userId, at);
      const details = reason === undefined ? {} : { reason };
      await audit(trx, userId, { action: 'account.deleted', actor, details });
    });
    this.options.revoked(userId);
  }

  #change(userId: string, changes: UserChanges, act: Act): Promise<UserRow> {
    return this.#perform(userId, act, (trx) => updateUser(trx, userId, changes));
  }

  async #updatePlan(trx: Knex, userId: string, plan: PlanName): Promise<UserRow | null> {
    return (await updatePlan(trx, userId, plan)) ? findUser(trx, userId) : null;
  }

  async #perform(userId: string, act: Act, write: (trx: Knex) => Promise<UserRow | null>): Promise<UserRow> {
    const row = await this.options.db.transaction(async (trx) => {
      const changed = await write(trx);
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

/**
 * Locks a user who leaves, and with them all administrators: two of them cannot leave at once.
 * @throws ApiError ACCOUNT_NOT_FOUND, CONFLICT for the only administrator, and as refuseRevoked
 */
export async function lockLeaving(trx: Knex.Transaction, userId: string, actor: Actor): Promise<UserRow> {
  const admins = await lockAdmins(trx);
  const user = await lockUser(trx, userId);
  if (user === null || user.deleted_at !== null) throw new ApiError('ACCOUNT_NOT_FOUND');
  await refuseRevoked(trx, actor);
  // the list has nobody who is to be erased
  if (user.role === 'admin' && user.deleting_at === null && admins.every((id) => id === userId))
    throw onlyAdministrator();
  return user;
}

async function isDue(trx: Knex.Transaction, userId: string, at: Date): Promise<boolean> {
  const user = await lockUser(trx, userId);
  return user?.deleted_at === null && user.deleting_at !== null && user.deleting_at <= at;
}

/** Refusal of an act after which nobody could administer the installation. */
export function onlyAdministrator(): ApiError {
  const message = 'is the only administrator; create another one first';
  return new ApiError('CONFLICT', { details: { account: [{ code: 'conflict', message }] } });
}

function toUser({ id, email, role, plan, disabled_at, deleting_at, created_at }: UserRow): User {
  const status = disabled_at !== null ? 'disabled' : deleting_at === null ? 'active' : 'deleting';
  return { id, email: email ?? '', role, plan, status, created_at: created_at.toISOString() };
}
