import type { Knex } from 'knex';
import { deleteExpiredChallenges } from './challenge-store.js';
import { deleteEndedSessions, deleteOldRefreshTokens } from './session-store.js';
import { deleteOldFailures } from './sign-in-store.js';
import { FORGET_AFTER_MS } from './sign-in-throttle.js';

const MONTH_MS = 30 * 24 * 3_600_000;

/** Deletes sessions, refresh tokens and challenges that ended a month ago, and wrong passwords that count no more. */
export async function deleteOutdated(db: Knex, now: number): Promise<void> {
  await deleteEndedSessions(db, new Date(now - MONTH_MS));
  await deleteOldRefreshTokens(db, new Date(now - MONTH_MS));
  await deleteExpiredChallenges(db, new Date(now - MONTH_MS));
  await deleteOldFailures(db, new Date(now - FORGET_AFTER_MS));
}
