import type { Knex } from 'knex';
import type { Actor } from '../../../audit-log/actor.js';
import { ApiError } from '../../../http/errors.js';
import type { PasswordHasher } from '../passwords/passwords.js';
import type { UserRow } from '../profile/store.js';
import type { AttemptLimits } from './attempt-limits.js';
import type { SignInConfirmation } from './sign-in-confirmation.js';
import { accountWaiting, type CountedAttempt, type SignInThrottle } from './sign-in-throttle.js';

interface PasswordCheckOptions {
  readonly db: Knex;
  readonly hasher: PasswordHasher;
  readonly throttle: SignInThrottle;
  readonly limits: AttemptLimits;
  readonly confirmation: SignInConfirmation;
}

/** Password that a caller claims to be that of an account. */
export interface PasswordClaim {
  /** Null if no account has the address. */
  readonly user: UserRow | null;
  /** As stored. */
  readonly email: string;
  readonly password: string;
  readonly actor: Actor;
  /** True if the caller already has credentials of the account. */
  readonly isSignedIn: boolean;
  /** Field of the request with the password. */
  readonly field: 'password' | 'current_password';
}

/** Compares passwords, within the limits on wrong ones, and with the same work for every account. */
export class PasswordCheck {
  constructor(private readonly options: PasswordCheckOptions) {}

  /**
   * Compares a password. Returns the attempt of a correct one, which the caller passes to `accept`; null for a wrong one, which
   * the audit log then has. @throws ApiError RATE_LIMIT_EXCEEDED, UNAVAILABLE
   */
  async compare(claim: PasswordClaim): Promise<CountedAttempt | null> {
    const { db, throttle, limits, confirmation } = this.options;
    const counted = await throttle.begin(await limits.attemptOf({ ...claim, what: 'password' }));
    const isRight = await this.#isRight(claim, counted);
    const { heldUntil } = counted;
    if (heldUntil !== null) {
      // the same for correct and wrong passwords: guessing reveals nothing, and the reader of the mail is admitted
      await db.transaction(async (trx) => {
        await this.refuse(claim, trx);
        await confirmation.record(trx, { ...claim, isRight });
      });
      throw accountWaiting(heldUntil, claim.field);
    }
    if (isRight) return counted;
    await this.refuse(claim);
    return null;
  }

  /**
   * Checks the password of a caller who has credentials of the account, with the same limits on wrong ones as sign-in.
   * @throws ApiError AUTH_CREDENTIALS_INVALID, RATE_LIMIT_EXCEEDED, UNAVAILABLE
   */
  async prove(claim: Pick<PasswordClaim, 'password' | 'actor' | 'field'> & { readonly user: UserRow }): Promise<void> {
    const counted = await this.compare({ ...claim, email: claim.user.email ?? '', isSignedIn: true });
    if (counted !== null) return this.options.db.transaction((trx) => this.accept(trx, counted));
    const details = { [claim.field]: [{ code: 'refused' as const, message: 'is wrong' }] };
    throw new ApiError('AUTH_CREDENTIALS_INVALID', { details });
  }

  /** Resets the counts of wrong passwords after a correct one. */
  accept(trx: Knex.Transaction, counted: CountedAttempt): Promise<void> {
    return this.options.throttle.succeeded(trx, counted);
  }

  /** Writes an entry in the audit log, also for an unknown account, whose response must not be faster. */
  refuse({ user, actor }: Pick<PasswordClaim, 'user' | 'actor'>, db: Knex = this.options.db): Promise<void> {
    return this.options.limits.refuse({ user, actor, what: 'password' }, db);
  }

  async #isRight({ user, password }: PasswordClaim, counted: CountedAttempt): Promise<boolean> {
    const { hasher, throttle } = this.options;
    try {
      const passwordHash = user?.password_hash ?? null;
      return passwordHash === null ? await hasher.pretend(password) : await hasher.isSame(passwordHash, password);
    } catch (error) {
      await throttle.undone(counted);
      throw error;
    }
  }
}
