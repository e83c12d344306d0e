import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Actor } from '../../audit-log/actor.js';
import { ApiError } from '../../http/errors.js';
import { findUser, type UserRow } from './profile/store.js';
import { findSessionStart } from './sessions/session-store.js';
import type { PasswordCheck } from './sign-in/password-check.js';
import type { Users } from './users.js';

/** Time after sign-in during which a session proves the identity of its user, in milliseconds; refreshing does not extend it. */
const FRESH_MS = 10 * 60_000;

interface AccountDeletionOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly users: Users;
  readonly check: PasswordCheck;
}

/** Evidence that the caller is the owner, beyond credentials that may have been copied. */
export interface OwnerEvidence {
  /** Null if the request has none. */
  readonly password: string | null;
  /** Null if the request uses credentials of another kind. */
  readonly sessionId: string | null;
}

/** Deletes accounts of owners who prove their identity: deletion is final, so a stolen token must not suffice. */
export class AccountDeletion {
  constructor(private readonly options: AccountDeletionOptions) {}

  /** Deletes an account. @throws ApiError FORBIDDEN, AUTH_CREDENTIALS_INVALID, RATE_LIMIT_EXCEEDED, and as Users.delete */
  async delete(userId: string, { password, sessionId }: OwnerEvidence, actor: Actor): Promise<void> {
    const { db, users, check } = this.options;
    const user = await findUser(db, userId);
    if (user === null) throw new ApiError('ACCOUNT_NOT_FOUND');
    if (password !== null && user.password_hash !== null) {
      await check.prove({ user, password, actor, field: 'password' });
    } else if (!(await this.#isFresh(sessionId))) throw proofMissing(user);
    await users.delete(userId, actor);
  }

  async #isFresh(sessionId: string | null): Promise<boolean> {
    const { db, clock } = this.options;
    const openedAt = sessionId === null ? null : await findSessionStart(db, sessionId);
    return openedAt !== null && clock.now() - openedAt.getTime() <= FRESH_MS;
  }
}

function proofMissing({ password_hash: passwordHash }: UserRow): ApiError {
  const [code, message] =
    passwordHash === null
      ? ([
          'refused',
          'the account has no password: set one with a mailed link (POST /v1/auth/password/forgot), sign in, and use a session that was opened in the last ten minutes',
        ] as const)
      : ([
          'required',
          'send the password of the account, or use a session that was opened in the last ten minutes',
        ] as const);
  return new ApiError('FORBIDDEN', { details: { password: [{ code, message }] } });
}
