import { delay, systemClock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { advisoryLocks } from './advisory-locks.js';

const POLL_MS = 100;

/**
 * Waits for the lock of migrations, and holds it until the transaction ends; `shared`: together with others that only
 * keep migrations away. Asks again and again: a statement that waited would have a snapshot, for whose end the building of
 * an index waits, and the one for the other.
 */
export async function lockMigrations(trx: Knex.Transaction, kind: 'exclusive' | 'shared'): Promise<void> {
  // without a parameter: the portal of a statement that has one keeps its snapshot until the next statement
  const attempt = `SELECT pg_try_advisory_xact_lock${kind === 'shared' ? '_shared' : ''}(${advisoryLocks.migrate}) AS locked`;
  for (;;) {
    const { rows } = await trx.raw(attempt);
    if (rows[0].locked) return;
    await delay(systemClock, POLL_MS);
  }
}
