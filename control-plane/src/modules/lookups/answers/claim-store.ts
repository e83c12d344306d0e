import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';

// Leases are measured by the clock of the database: clocks of replicas differ.

const TAKE = {
  name: 'lookups-take-claim',
  text: `
  INSERT INTO lookup_claims AS c (key, holder, lease_until) VALUES ($1, $2, now() + $3 * interval '1 millisecond')
  ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until
    WHERE c.lease_until <= now() OR c.holder = excluded.holder
  RETURNING true AS is_taken`,
};

/** A key, and the replica that asks about it. */
export interface Claim {
  readonly key: string;
  readonly holder: string;
}

/** Takes or renews the claim of a key for `leaseMs`; false if another replica has it. A claim whose lease has ended is taken over. */
export async function takeClaim(db: Knex, { key, holder }: Claim, leaseMs: number): Promise<boolean> {
  const rows = await queryPrepared<{ is_taken: boolean }>(db, TAKE, [key, holder, leaseMs]);
  return rows.length > 0;
}

export async function endClaim(db: Knex, { key, holder }: Claim): Promise<void> {
  await db.raw('DELETE FROM lookup_claims WHERE key = ? AND holder = ?', [key, holder]);
}

/** Deletes claims of replicas that died, an hour after their leases ended. */
export async function deleteOldClaims(db: Knex): Promise<void> {
  await db.raw(`DELETE FROM lookup_claims WHERE lease_until < now() - interval '1 hour'`);
}
