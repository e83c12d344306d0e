import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';
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
    const rows = await queryPrepared<{ key: string; taken: string[] }>(trx, LOCK, [keys, at]);
    const taken = new Map(rows.map((row) => [row.key, row.taken.map(Number)]));
    const wait = waitFor(buckets, taken, nowMs);
    if (wait.waitMs > 0) return wait;
    for (const key of keys) {
      const after = takenAfter(buckets, key, taken.get(key) ?? [], nowMs);
      await queryPrepared(trx, TAKE, [key, after]);
    }
    return wait;
  });
}

const LOCK = {
  name: 'alerts-lock-buckets',
  text: `INSERT INTO alert_buckets (key, taken_at) SELECT key, $2 FROM unnest($1::text[]) AS k(key) ORDER BY key
    ON CONFLICT (key) DO UPDATE SET taken_at = excluded.taken_at RETURNING key, taken`,
};
const TAKE = { name: 'alerts-take-from-bucket', text: 'UPDATE alert_buckets SET taken = $2::bigint[] WHERE key = $1' };

/** Instants of the last messages of buckets, by key. */
export async function readTaken(db: Knex, keys: readonly string[]): Promise<ReadonlyMap<string, Taken>> {
  const { rows } = await db.raw<{ rows: { key: string; taken: string[] }[] }>(
    'SELECT key, taken FROM alert_buckets WHERE key = ANY(?)',
    [[...keys]],
  );
  return new Map(rows.map((row) => [row.key, row.taken.map(Number)]));
}

/** Deletes buckets of which no message was to be taken since an instant. */
export async function deleteUnusedBuckets(db: Knex, before: Date): Promise<void> {
  await db('alert_buckets').where('taken_at', '<', before).delete();
}
