import type { Knex } from 'knex';
import { type KeyedBucket, type Taken, takenAfter, type Wait, waitFor } from './buckets.js';

/**
 * Takes one message out of all buckets, or nothing if one of them is empty. Shared by all replicas.
 * @returns the delay until it fits; none: it was taken
 */
export async function takeFromBuckets(db: Knex, buckets: readonly KeyedBucket[], nowMs: number): Promise<Wait> {
  const keys = [...new Set(buckets.map(({ key }) => key))].sort();
  if (keys.length === 0) return { waitMs: 0, isOfRecipient: false };
  const at = new Date(nowMs);
  return db.transaction(async (trx) => {
    await trx.raw(
      `INSERT INTO alert_buckets (key, taken_at) SELECT key, :at FROM unnest(:keys::text[]) AS k(key)
       ON CONFLICT (key) DO NOTHING`,
      { keys, at },
    );
    const { rows } = await trx.raw<{ rows: { key: string; taken: string[] }[] }>(
      'SELECT key, taken FROM alert_buckets WHERE key = ANY(:keys) ORDER BY key FOR UPDATE',
      { keys },
    );
    const taken = new Map(rows.map((row) => [row.key, row.taken.map(Number)]));
    const wait = waitFor(buckets, taken, nowMs);
    if (wait.waitMs > 0) return wait;
    for (const key of keys) {
      const after = takenAfter(buckets, key, taken.get(key) ?? [], nowMs);
      await trx.raw('UPDATE alert_buckets SET taken = :taken::bigint[], taken_at = :at WHERE key = :key', {
        key,
        at,
        taken: [...after],
      });
    }
    return wait;
  });
}

/** Instants of the last messages of buckets, by key. */
export async function readTaken(db: Knex, keys: readonly string[]): Promise<ReadonlyMap<string, Taken>> {
  const { rows } = await db.raw<{ rows: { key: string; taken: string[] }[] }>(
    'SELECT key, taken FROM alert_buckets WHERE key = ANY(?)',
    [[...keys]],
  );
  return new Map(rows.map((row) => [row.key, row.taken.map(Number)]));
}

/** Deletes buckets that were not used since an instant. */
export async function deleteUnusedBuckets(db: Knex, before: Date): Promise<void> {
  await db('alert_buckets').where('taken_at', '<', before).delete();
}
