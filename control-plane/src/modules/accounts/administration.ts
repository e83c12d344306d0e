import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { type AuditAction } from '../../audit-log/actions.js';
import { type Actor } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';
import { afterCommit } from '../../db/after-commit.js';
import { ApiError } from '../../http/errors.js';
import type { AccountDeletion } from './account-deletion.js';
import { deleteFactors } from './factors/factor-store.js';
import { type AccountFilter, type AccountRow, findAccount, listAccounts } from './profile/account-store.js';
import type { SecurityNotices } from './profile/security-notices.js';
import { lockAdmins, lockUser, type UserRow, updateUser } from './profile/store.js';
import type { Sessions } from './sessions/sessions.js';
import type { Challenges } from './sign-in/challenges.js';
import { onlyAdministrator } from './users.js';

interface AdministrationOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly challenges: Challenges;
  readonly deletion: AccountDeletion;
  readonly notices: SecurityNotices;
  readonly revoked: (userId: string) => void;
}

/** Administrator who acts on an account, and why. */
export interface AdminAct {
  readonly actor: Actor;
  /** Absent for the command line. */
  readonly reason?: string;
}

/** Acts of administrators on the accounts of others; each is in the audit log of the account, with its reason. */
export class Administration {
  constructor(private readonly options: AdministrationOptions) {}

  /** Accounts that are not erased, newest first, and their number. */
  list(filter: AccountFilter, page: { limit: number; offset: number }): Promise<{ rows: AccountRow[]; total: number }> {
    return listAccounts(this.options.db, filter, page);
  }

  /** @throws ApiError ACCOUNT_NOT_FOUND */
  async get(id: string): Promise<AccountRow> {
    const row = await findAccount(this.options.db, id);
    if (row === null || row.status === 'deleted') throw new ApiError('ACCOUNT_NOT_FOUND');
    return row;
  }

  /** Disables, enables, or changes the role. Disabling ends the sessions for good. @throws ApiError CONFLICT, ACCOUNT_NOT_FOUND */
  async change(
    id: string,
    { status, role }: { status?: 'active' | 'disabled'; role?: 'user' | 'admin' },
    act: AdminAct,
  ): Promise<void> {
    const at = new Date(this.options.clock.now());
    await this.#perform(id, act, async (trx, user, admins) => {
      const isLeaving = status === 'disabled' || role === 'user';
      if (isLeaving && admins.includes(id) && admins.length === 1) throw onlyAdministrator();
      if (role !== undefined && role !== user.role) {
        await updateUser(trx, id, { role });
        await this.#record(trx, id, 'account.updated', act, { role });
      }
      const isDisabled = status === 'disabled';
      if (status === undefined || isDisabled === (user.disabled_at !== null)) return;
      await updateUser(trx, id, { disabled_at: isDisabled ? at : null });
      if (isDisabled) await this.#endSessions(trx, id, 'account disabled', act);
      await this.#record(trx, id, isDisabled ? 'account.disabled' : 'account.enabled', act);
    });
  }

  /** Removes the authenticator app, recovery codes and passkeys, and ends all sessions. The owner gets a mail. */
  resetFactors(id: string, act: AdminAct): Promise<void> {
    const { challenges, notices } = this.options;
    return this.#perform(id, act, async (trx, user) => {
      await deleteFactors(trx, id);
      await challenges.consumeAll(trx, id, 'pending_sign_in');
      await this.#endSessions(trx, id, 'factors reset', act);
      await this.#record(trx, id, 'account.factors_reset', act);
      await notices.enqueue(trx, user, { kind: 'factors.reset', actor: { ...act.actor, address: null } });
    });
  }

  endSessions(id: string, act: AdminAct): Promise<void> {
    return this.#perform(id, act, async (trx) => {
      await this.#endSessions(trx, id, 'ended by an administrator', act);
      await this.#record(trx, id, 'account.sessions_ended', act);
    });
  }

  /** Restores an account that is to be erased. @throws ApiError CONFLICT for any other */
  restore(id: string, act: AdminAct): Promise<void> {
    return this.#perform(id, act, (trx, user) => {
      if (user.deleting_at === null) throw conflict('is not to be erased');
      return this.options.deletion.restoreUser(trx, user, { actor: act.actor, details: detailsOf(act) });
    });
  }

  /** Deletes an account as its owner would: it can be restored for 14 days. @throws ApiError CONFLICT, ACCOUNT_NOT_FOUND */
  async delete(id: string, act: AdminAct): Promise<AccountRow> {
    refuseOneself(id, act);
    await this.options.deletion.deleteByAdministrator(id, { actor: act.actor, details: detailsOf(act) });
    const row = await findAccount(this.options.db, id);
    if (row === null) throw new ApiError('ACCOUNT_NOT_FOUND');
    return row;
  }

  async #perform(
    id: string,
    act: AdminAct,
    write: (trx: Knex.Transaction, user: UserRow, admins: readonly string[]) => Promise<void>,
  ): Promise<void> {
    refuseOneself(id, act);
    await this.options.db.transaction(async (trx) => {
      const admins = await lockAdmins(trx);
      const user = await lockUser(trx, id);
      if (user === null || user.deleted_at !== null) throw new ApiError('ACCOUNT_NOT_FOUND');
      await write(trx, user, admins);
      afterCommit(trx, () => this.options.revoked(id));
    });
  }

  async #endSessions(trx: Knex, id: string, reason: string, { actor }: AdminAct): Promise<void> {
    await this.options.sessions.endOthers(trx, id, { actor, except: null, reason });
  }

  #record(trx: Knex, id: string, action: AuditAction, act: AdminAct, facts: object = {}): Promise<void> {
    const details = { ...facts, ...detailsOf(act) };
    return insertAuditEntry(trx, { actor: act.actor, accountId: id, action, subject: id, details });
  }
}

function detailsOf({ reason }: AdminAct): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

function refuseOneself(id: string, { actor }: AdminAct): void {
  if (actor.userId === id) throw conflict('is your own; another administrator can do this');
}

function conflict(message: string): ApiError {
  return new ApiError('CONFLICT', { details: { account: [{ code: 'conflict', message }] } });
}
