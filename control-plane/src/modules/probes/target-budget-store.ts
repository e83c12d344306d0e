import type { Knex } from 'knex';
import { queryPrepared } from '../../db/prepared.js';
import { type Demand, grant, refill, TARGET_BURST } from './target-budget.js';

/**
 * Takes from the budget of a target for as many of the nodes as it allows, and returns their number. Call it in the
 * transaction that stores their work: other requests for any of the keys wait for its end, and then see that work.
 */
export async function takeFromBudget(trx: Knex.Transaction, keys: readonly string[], demand: Demand): Promise<number> {
  const buckets = await lockBuckets(trx, keys);
  // a statement of its own: only a snapshot taken after the locks has the work of those who held them
  const inFlight = await countInFlight(trx, keys);
  const states = buckets.map(({ key, tokens, age_seconds }) => ({
    key,
    tokens: refill({ tokens, ageSeconds: age_seconds }),
    inFlight: inFlight.get(key) ?? 0,
  }));
  const granted = grant(demand, states);
  const left = states.map(({ tokens }) => tokens - granted * demand.weight);
  await queryPrepared(trx, TAKE, [states.map(({ key }) => key), left]);
  return granted;
}

const TAKE = {
  name: 'target-budget-take',
  text: `UPDATE target_buckets b SET tokens = s.tokens, updated_at = clock_timestamp()
         FROM unnest($1::text[], $2::float8[]) AS s(key, tokens) WHERE b.key = s.key`,
};

interface BucketRow {
  readonly key: string;
  readonly tokens: number;
  readonly age_seconds: number;
}

const LOCK = {
  name: 'target-budget-lock',
  text: `INSERT INTO target_buckets (key, tokens, updated_at)
         SELECT key, $1, clock_timestamp() FROM unnest($2::text[]) AS key ORDER BY key
         ON CONFLICT (key) DO UPDATE SET tokens = target_buckets.tokens
         RETURNING key, tokens, extract(epoch FROM clock_timestamp() - updated_at)::float8 AS age_seconds`,
};

/** Creates missing buckets, full, and locks all of them, always in the order of their keys. */
function lockBuckets(trx: Knex.Transaction, keys: readonly string[]): Promise<BucketRow[]> {
  return queryPrepared<BucketRow>(trx, LOCK, [TARGET_BURST, [...keys]]);
}

const IN_FLIGHT = {
  name: 'target-budget-in-flight',
  text: `SELECT key, (SELECT count(*) FROM probe_node_tasks t
           WHERE t.state = 'pending' AND t.target_keys IS NOT NULL AND t.target_keys @> ARRAY[key]) AS in_flight
         FROM unnest($1::text[]) AS key`,
};

async function countInFlight(trx: Knex.Transaction, keys: readonly string[]): Promise<Map<string, number>> {
  const rows = await queryPrepared<{ key: string; in_flight: number }>(trx, IN_FLIGHT, [[...keys]]);
  return new Map(rows.map(({ key, in_flight }) => [key, in_flight]));
}

/** Deletes buckets that have been full for a long time. */
export async function deleteFullBuckets(db: Knex): Promise<void> {
  await db.raw(`DELETE FROM target_buckets WHERE updated_at < now() - interval '1 hour'`);
}
