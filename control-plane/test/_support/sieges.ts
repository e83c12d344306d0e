import type { Clock } from '@vantage/shared/clock.js';
import { ApiError } from '../../src/http/errors.js';
import { accountKey } from '../../src/modules/accounts/sign-in/sign-in-keys.js';
import { SignInThrottle } from '../../src/modules/accounts/sign-in/sign-in-throttle.js';
import { accountWaits, delayAfterMs, type Waits } from '../../src/modules/accounts/sign-in/sign-in-waits.js';
import { from, type People } from './people.js';

export const DAY_MS = 24 * 3_600_000;

let sieges = 0;

/** One wrong password more than it takes for an account to wait as a whole. */
export async function besiege(
  people: { db: People['db']; clock: Clock },
  email: string,
  { isSignedIn = false, failures = accountWaits.freeFailures } = {},
): Promise<void> {
  const { db, clock } = people;
  await seed(people, email, { failures, by: isSignedIn ? 'holders' : 'strangers' });
  const attempt = {
    email,
    what: 'password' as const,
    address: `100.64.0.${++sieges}`,
    isKnownNetwork: false,
    isSignedIn,
  };
  await new SignInThrottle(db, clock).begin(attempt);
}

/** Number of failures counted for an account as a whole. */
export async function seed(
  { db, clock }: { db: People['db']; clock: Clock },
  email: string,
  { failures, by = 'strangers' }: { failures: number; by?: 'strangers' | 'holders' },
): Promise<void> {
  if (failures === 0) return;
  const row = { key: `${accountKey(email)} by ${by}`, failures, failed_at: new Date(clock.now()), blocked_until: null };
  await db('sign_in_failures').insert(row).onConflict('key').merge();
}

/** The visible part of a response to an attempt. */
export async function seen(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return 'in';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, status, details, allowance, headers, retryAfterSeconds } = error;
    return JSON.stringify({ code, status, details, allowance, headers, retryAfterSeconds });
  }
}

/** Token of the last mail of a template, once the jobs are done; null if none was sent since the last call. */
export async function mailedToken(
  people: People,
  template: 'confirm-sign-in' | 'reset-password',
): Promise<string | null> {
  await people.runConfirmations();
  const letter = people.letters.splice(0).findLast((candidate) => candidate.template === template);
  return letter?.template === 'confirm-sign-in' || letter?.template === 'reset-password' ? letter.data.token : null;
}

export async function confirm(people: People): Promise<void> {
  await people.signInConfirmation.confirm((await mailedToken(people, 'confirm-sign-in')) ?? '', from('203.0.113.9'));
}

/** Greatest number of guesses that waits allow in a time. */
export function mostGuesses(waits: Waits, elapsedMs: number, before = 0): number {
  let guesses = 0;
  for (let restMs = elapsedMs; restMs >= 0; guesses++) restMs -= delayAfterMs(before + guesses + 1, waits);
  return guesses + waits.freeFailures * Math.floor(elapsedMs / DAY_MS);
}
