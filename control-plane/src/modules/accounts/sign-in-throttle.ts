import { createHash } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { type ApiError, limitReached } from '../../http/errors.js';
import { addressKey } from '../../http/rate-limit.js';
import { deleteFailures, type FailureRow, lockFailures, takeBackFailures, updateFailures } from './sign-in-store.js';

/** Wrong passwords in a row that cost nothing. */
export const FREE_FAILURES = 5;
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
/** Failures are forgotten after a day without one. */
export const FORGET_AFTER_MS = 24 * 3_600_000;

/**
 * How long after the n-th wrong password in a row the next try is refused: nothing for the first five, then 1 s, 2 s, 4 s
 * … up to a minute. Never longer: nobody is locked out.
 */
export function delayAfterMs(failures: number): number {
  if (failures <= FREE_FAILURES) return 0;
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - FREE_FAILURES - 1, 20));
}

/** A row after one more try, at `now` (milliseconds since the epoch). */
export function countFailure(row: FailureRow, now: number): FailureRow {
  const isForgotten = now - row.failed_at.getTime() >= FORGET_AFTER_MS;
  const failures = (isForgotten ? 0 : row.failures) + 1;
  const delayMs = delayAfterMs(failures);
  return { ...row, failures, failed_at: new Date(now), blocked_until: delayMs === 0 ? null : new Date(now + delayMs) };
}

/** Who tries to sign in, and to what. */
export interface Attempt {
  readonly email: string;
  readonly address: string;
  /** Somebody has signed in to this account from this address before: what strangers try elsewhere does not count here. */
  readonly isKnownAddress: boolean;
}

/**
 * Slows down guessing, by account and by address. A try is counted before its password is looked at, so that a hundred at
 * once are counted one after another; a right one takes everything back.
 */
export class SignInThrottle {
  constructor(
    private readonly db: Knex,
    private readonly clock: Clock,
  ) {}

  /** Counts a try. @throws ApiError RATE_LIMIT_EXCEEDED when it comes too soon after wrong ones */
  async begin(attempt: Attempt): Promise<void> {
    const now = this.clock.now();
    await this.db.transaction(async (trx) => {
      const rows = await lockFailures(trx, Object.values(keysOf(attempt)), new Date(now));
      const until = Math.max(...rows.map(({ blocked_until }) => blocked_until?.getTime() ?? 0));
      if (until > now) throw tooSoon(until);
      for (const row of rows) await updateFailures(trx, countFailure(row, now));
    });
  }

  /**
   * The password was right: the wrong ones before it were the owner's. They no longer count for the account, nor for the
   * address; what the address tried at other accounts stays.
   */
  async succeeded(trx: Knex.Transaction, attempt: Attempt): Promise<void> {
    const now = new Date(this.clock.now());
    const { address, account } = keysOf(attempt);
    const rows = new Map((await lockFailures(trx, [address, account], now)).map((row) => [row.key, row]));
    const own = rows.get(account)?.failures ?? 0;
    const atAddress = rows.get(address);
    if (atAddress)
      await updateFailures(trx, { ...atAddress, failures: Math.max(0, atAddress.failures - own), blocked_until: null });
    await deleteFailures(trx, [account]);
  }

  /** The password was not looked at after all. */
  async undone(attempt: Attempt): Promise<void> {
    await takeBackFailures(this.db, Object.values(keysOf(attempt)));
  }
}

/** Hashes: the table must not tell what people type into the field of the address. */
function keysOf({ email, address, isKnownAddress }: Attempt): { readonly address: string; readonly account: string } {
  const at = addressKey(address);
  return { address: hashOf(`address ${at}`), account: hashOf(`account ${email}${isKnownAddress ? ` at ${at}` : ''}`) };
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

function tooSoon(until: number): ApiError {
  const resetsAt = Math.ceil(until / 1_000) * 1_000;
  return limitReached('RATE_LIMIT_EXCEEDED', { limit: FREE_FAILURES, remaining: 0, resetsAt, isAllowed: false });
}
