import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { type ApiError, limitReached } from '../../../http/errors.js';
import { Turns } from '../../../http/turns.js';
import { type Attempt, accountKey, failureKeysOf, networkHash } from './sign-in-keys.js';
import {
  deleteFailures,
  type FailureRow,
  hasPass,
  insertPass,
  lockAccountFailures,
  lockFailures,
  takeBackFailures,
  updateFailures,
} from './sign-in-store.js';
import { accountWaits, countFailure, delayAfterMs, networkWaits } from './sign-in-waits.js';

// Three counts of wrong passwords, each with its own waits (sign-in-waits.ts):
//
//   network            every account from this network       waits: refused, the password is not compared
//   account + network  this account from this network        waits: refused, the password is not compared
//   account            this account from unknown networks    waits: the password is compared, the response is always the
//                                                            same, and a correct one is confirmed by mail
//
// Many networks together can reach the last one, so it must not lock the owner out. It neither counts nor delays networks
// that are known to the account.

/** Time for which a network that was admitted by mail is exempt from the waits of the account as a whole, in milliseconds. */
export const PASS_LIFE_MS = 24 * 3_600_000;

const MAX_WAITING_TRIES = 100;
const TRY_PATIENCE_MS = 5_000;

/** An attempt that was counted. */
export interface CountedAttempt {
  readonly attempt: Attempt;
  /** End of the wait of the account as a whole, in milliseconds since the epoch; null if it does not wait. */
  readonly heldUntil: number | null;
  /** Counts after this attempt. */
  readonly rows: readonly FailureRow[];
}

/**
 * Slows down guessing. An attempt is counted before its password is compared, so that a hundred at once are counted one
 * after another; the count of a correct one is taken back.
 */
export class SignInThrottle {
  /** Turns by account: attempts from many addresses wait for one row. */
  readonly #accounts: Turns;

  constructor(
    private readonly db: Knex,
    private readonly clock: Clock,
  ) {
    this.#accounts = new Turns({ atOnce: 1, maxWaiting: MAX_WAITING_TRIES, patienceMs: TRY_PATIENCE_MS, clock });
  }

  /** Counts an attempt. @throws ApiError RATE_LIMIT_EXCEEDED when its network has to wait */
  begin(attempt: Attempt): Promise<CountedAttempt> {
    const { account } = failureKeysOf(attempt);
    return this.#accounts.run(account, () => this.db.transaction((trx) => this.#count(trx, attempt)));
  }

  async #count(trx: Knex.Transaction, attempt: Attempt): Promise<CountedAttempt> {
    const now = this.clock.now();
    const { network, pair, account } = failureKeysOf(attempt);
    const keys = attempt.isKnownNetwork ? [network, pair] : [network, pair, account];
    const rows = await lockFailures(trx, keys, new Date(now));
    const waitsUntil = (...of: string[]) => latestWait(rows.filter(({ key }) => of.includes(key)));
    if (waitsUntil(network, pair) > now) throw tooSoon(waitsUntil(network, pair));
    const heldUntil = waitsUntil(account) > now ? waitsUntil(account) : null;
    // attempts during a wait of the account do not extend it, else it could wait forever
    const counted = rows
      .filter(({ key }) => heldUntil === null || key !== account)
      .map((row) => countFailure(row, now, row.key === account ? accountWaits : networkWaits));
    for (const row of counted) await updateFailures(trx, row);
    return { attempt, heldUntil, rows: counted };
  }

  /**
   * Resets the failures of an owner whose password was correct, at their network. Of the count of the account as a whole, only
   * this attempt is taken back: a sign-in of the owner does not allow others further attempts.
   */
  async succeeded(trx: Knex.Transaction, { attempt, rows: counted }: CountedAttempt): Promise<void> {
    const { network, pair, account } = failureKeysOf(attempt);
    const keys = counted.map(({ key }) => key);
    const rows = new Map((await lockFailures(trx, keys, new Date(this.clock.now()))).map((row) => [row.key, row]));
    const atNetwork = rows.get(network);
    if (atNetwork) await settle(trx, withoutOwn(atNetwork, rows.get(pair)));
    await deleteFailures(trx, [pair]);
    await takeBackFailures(
      trx,
      counted.filter(({ key }) => key === account),
    );
  }

  /**
   * Ends every wait of an account whose owner was reached by mail, and exempts one network from further waits of the
   * account as a whole for a day. Waits of that network for other accounts stay.
   */
  async letIn(trx: Knex.Transaction, by: { userId: string; email: string; address: string }): Promise<void> {
    const now = this.clock.now();
    const { network, pair } = failureKeysOf({ ...by, what: 'password', isKnownNetwork: true, isSignedIn: false });
    const rows = await lockAccountFailures(trx, { account: accountKey(by.email), network });
    const own = rows.find(({ key }) => key === pair);
    for (const row of rows) {
      if (row.key === network) await settle(trx, withoutOwn(row, own));
      else await deleteFailures(trx, [row.key]);
    }
    const expiresAt = new Date(now + PASS_LIFE_MS);
    await insertPass(trx, { user_id: by.userId, network: networkHash(by.address), expires_at: expiresAt });
  }

  /** True if this network was admitted to the account by mail within a day. */
  isLetIn(userId: string, address: string): Promise<boolean> {
    return hasPass(this.db, { userId, network: networkHash(address), at: new Date(this.clock.now()) });
  }

  /** Takes back an attempt whose password was not compared after all. */
  async undone({ rows }: CountedAttempt): Promise<void> {
    await this.db.transaction((trx) => takeBackFailures(trx, rows));
  }
}

/** Error for a password that was sent while the account as a whole waits: the same for correct and wrong ones. */
export function accountWaiting(heldUntil: number, field: string): ApiError {
  const message =
    'too many wrong passwords were tried for this account; if this one is correct and the address of the account is verified, ' +
    'a link that lets you sign in was mailed to it; you can also set a new password with POST /v1/auth/password/forgot';
  const { freeFailures } = accountWaits;
  return waiting(heldUntil, freeFailures, { [field]: [{ code: 'refused', message }] });
}

/** Error for a code that was sent while the account as a whole waits. */
export function codesWaiting(heldUntil: number, field: 'otp' | 'code'): ApiError {
  const message =
    'too many wrong codes were tried for this account; sign in from a network that you used before, with a passkey, or later';
  return waiting(heldUntil, accountWaits.freeFailures, { [field]: [{ code: 'refused', message }] });
}

function tooSoon(until: number): ApiError {
  return waiting(until, networkWaits.freeFailures);
}

function waiting(until: number, limit: number, details?: Parameters<typeof limitReached>[2]): ApiError {
  const resetsAt = Math.ceil(until / 1_000) * 1_000;
  return limitReached('RATE_LIMIT_EXCEEDED', { limit, remaining: 0, resetsAt, isAllowed: false }, details);
}

function latestWait(rows: readonly FailureRow[]): number {
  return Math.max(0, ...rows.map(({ blocked_until }) => blocked_until?.getTime() ?? 0));
}

/** Stores a count, or deletes it if it is zero. */
async function settle(trx: Knex, row: FailureRow): Promise<void> {
  if (row.failures === 0) await deleteFailures(trx, [row.key]);
  else await updateFailures(trx, row);
}

/** Count of a network without its failures for one account; it still waits for those for others. */
function withoutOwn(row: FailureRow, own: FailureRow | undefined): FailureRow {
  const failures = Math.max(0, row.failures - (own?.failures ?? 0));
  const delayMs = delayAfterMs(failures, networkWaits);
  return { ...row, failures, blocked_until: delayMs === 0 ? null : new Date(row.failed_at.getTime() + delayMs) };
}
