import type { Knex } from 'knex';
import { deleteEndedSessions, deleteOldRefreshTokens } from './sessions/session-store.js';
import { deleteExpiredChallenges } from './sign-in/challenge-store.js';
import { deleteOldFailures, deleteOldPasses } from './sign-in/sign-in-store.js';
import { FORGET_AFTER_MS } from './sign-in/sign-in-waits.js';

const MONTH_MS = 30 * 24 * 3_600_000;

/** Deletes sessions, refresh tokens and challenges that ended a month ago, old counts of wrong passwords, and expired passes. */
export async function deleteOutdated(db: Knex, now: number): Promise<void> {
  await deleteEndedSessions(db, new Date(now - MONTH_MS));
  await deleteOldRefreshTokens(db, new Date(now - MONTH_MS));
  await deleteExpiredChallenges(db, new Date(now - MONTH_MS));
  await deleteOldFailures(db, new Date(now - FORGET_AFTER_MS));
  await deleteOldPasses(db, new Date(now));
}
