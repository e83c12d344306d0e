import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Actor } from '../../../audit-log/actor.js';
import { happened } from '../../../audit-log/happened.js';
import { credentialChanged } from '../../../events/index.js';
import { ApiError, fieldError } from '../../../http/errors.js';
import { type PasswordRules, REMEMBERED_PASSWORDS } from '../passwords/password-rules.js';
import type { PasswordHasher } from '../passwords/passwords.js';
import { insertOldPassword, listOldPasswords, type UserRow, updateUser } from '../profile/store.js';
import type { Challenges } from '../sign-in/challenges.js';

interface PasswordChangesOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly hasher: PasswordHasher;
  readonly rules: PasswordRules;
  readonly challenges: Challenges;
}

/** Replaces passwords. The caller revokes the access that the old one gave. */
export class PasswordChanges {
  constructor(private readonly options: PasswordChangesOptions) {}

  /**
   * Returns the hash of a password that is neither weak nor one of the last few. Call it outside a transaction: it takes longer
   * than a lock should be held. @throws ApiError AUTH_PASSWORD_WEAK, AUTH_PASSWORD_REUSED, UNAVAILABLE
   */
  async judge(user: UserRow, password: string, field: string): Promise<string> {
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

  /** Stores a password that `judge` accepted, and uses up mailed tokens for a reset. Returns the changed user. */
  async replace(
    trx: Knex,
    user: UserRow,
    change: { passwordHash: string; actor: Actor; action: 'password.reset' | 'password.changed' },
  ): Promise<UserRow> {
    const { clock, challenges } = this.options;
    const { passwordHash, actor, action } = change;
    const at = new Date(clock.now());
    if (user.password_hash !== null) {
      const keep = REMEMBERED_PASSWORDS - 1;
      await insertOldPassword(trx, { userId: user.id, passwordHash: user.password_hash, at, keep });
    }
    const changes = { password_hash: passwordHash, password_changed_at: at };
    await updateUser(trx, user.id, changes);
    await challenges.consumeAll(trx, user.id, 'password_reset');
    // the earlier password proves nothing any more
    await challenges.consumeAll(trx, user.id, 'pending_sign_in');
    const event = credentialChanged(user.id, user.id, action);
    await happened(trx, { actor, accountId: user.id, action, subject: user.id, event });
    return { ...user, ...changes };
  }
}
