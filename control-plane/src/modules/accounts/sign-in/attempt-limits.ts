import type { Knex } from 'knex';
import type { Actor } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { addressKey } from '../../../limits/caller-networks.js';
import type { UserRow } from '../profile/store.js';
import { listSessionAddresses } from '../sessions/session-store.js';
import type { Attempt, Guessed } from './sign-in-keys.js';
import { codesWaiting, type SignInThrottle } from './sign-in-throttle.js';

/** Someone who claims to have a secret of an account. */
export interface Claimant {
  /** Null if no account has the address. */
  readonly user: Pick<UserRow, 'id' | 'email'> | null;
  /** As stored; default: that of the user. */
  readonly email?: string;
  readonly actor: Actor;
  readonly what: Guessed;
  /** True if the caller already has credentials of the account; default: false. */
  readonly isSignedIn?: boolean;
}

/** Limits on wrong secrets of all kinds, with the same reads for every account. */
export class AttemptLimits {
  constructor(
    private readonly db: Knex,
    private readonly throttle: SignInThrottle,
  ) {}

  /** Attempt of a claimant, as the throttle counts it. */
  async attemptOf({ user, email, actor, what, isSignedIn = false }: Claimant): Promise<Attempt> {
    const [userId, address] = [user?.id ?? '', actor.address ?? ''];
    const known = await listSessionAddresses(this.db, userId);
    const isLetIn = await this.throttle.isLetIn(userId, address);
    const network = addressKey(address);
    const isKnownNetwork = isLetIn || known.some((earlier) => addressKey(earlier) === network);
    return { email: email ?? user?.email ?? userId, address, what, isKnownNetwork, isSignedIn };
  }

  /**
   * Result of a comparison, counted before it is made and taken back when it succeeds; null for a wrong one, which the audit
   * log then has. @throws ApiError RATE_LIMIT_EXCEEDED, and what `compare` throws
   */
  async limited<T>(claimant: Claimant, compare: () => Promise<T | null>): Promise<T | null> {
    const { db, throttle } = this;
    const counted = await throttle.begin(await this.attemptOf(claimant));
    if (counted.heldUntil !== null) {
      throw codesWaiting(counted.heldUntil, claimant.what === 'e-mail code' ? 'code' : 'otp');
    }
    let result: T | null;
    try {
      result = await compare();
    } catch (error) {
      await throttle.undone(counted);
      throw error;
    }
    await db.transaction(async (trx) => {
      if (result !== null) return throttle.succeeded(trx, counted);
      return this.refuse(claimant, trx);
    });
    return result;
  }

  /** Writes an entry in the audit log, also for an unknown account, whose response must not be faster. */
  refuse(
    { user, actor, what }: Pick<Claimant, 'user' | 'actor'> & { readonly what: Guessed | 'passkey' },
    db: Knex = this.db,
  ): Promise<void> {
    const accountId = user?.id ?? null;
    const details = what === 'password' ? {} : { details: { what } };
    const entry = { actor, accountId, action: 'session.refused', subject: accountId ?? 'unknown' } as const;
    return insertAuditEntry(db, { ...entry, ...details });
  }
}
