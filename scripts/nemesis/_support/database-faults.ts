import { until } from '@vantage/shared/_support/until.js';
import { delay, systemClock } from '@vantage/shared/clock.js';
import type pg from 'pg';
import type { Test } from 'tap';
import type { World } from '../world.js';

/** Each replica says 503 and when to ask again, to a request that needs the database. */
export async function refusesForNow(t: Test, { api, replicas }: World): Promise<void> {
  for (const { url, name } of replicas) {
    const body = { target: '127.0.0.1:1', nodes: { limit: 1 } };
    const answer = await api.call(url, { method: 'POST', path: '/v1/probe/tcp', body, timeoutMs: 40_000 });
    t.match(answer, { status: 503, code: 'UNAVAILABLE', retryAfterSeconds: Number }, name);
  }
}

/** Milliseconds from `sinceMs` until the first result was stored. Says so in a comment. */
export async function firstRowMs(t: Test, { database }: World, sinceMs: number): Promise<number> {
  const sql = `SELECT min(finished_at) AS at FROM probe_node_tasks WHERE state = 'done' AND finished_at > $1`;
  let firstMs = 0;
  await until('a result that is stored', async () => {
    const [row] = await database.query(sql, [new Date(sinceMs)]);
    firstMs = (row?.['at'] as Date | null)?.getTime() ?? 0;
    return firstMs > 0;
  });
  t.comment(`first result stored ${firstMs - sinceMs} ms after PostgreSQL took connections again`);
  return firstMs - sinceMs;
}

/**
 * Takes all connections away from their owners. Replicas stand still meanwhile: each one that runs waits for a connection to
 * become free, and on a slow machine has it before we do. @returns a function that gives them back
 */
export async function takeAllConnections({ database, replicas }: World): Promise<() => Promise<void>> {
  const first = await database.connect();
  const mine: pg.Client[] = [first];
  do {
    for (const { unit } of replicas) unit.pause();
    try {
      await takeWhatIsFree(database, mine);
    } finally {
      for (const { unit } of replicas) unit.resume();
    }
    // one that was just being opened had no name yet, and is there a moment later
    await delay(systemClock, 300);
  } while ((await othersThan(mine, first)).length > 0);
  return async () => void (await Promise.all(mine.map((client) => client.end().catch(() => {}))));
}

/** Ends the connections of all others, and opens as many as there can be; adds them to `mine`. */
async function takeWhatIsFree(database: World['database'], mine: pg.Client[]): Promise<void> {
  const [first] = mine;
  if (first === undefined) throw new Error('the first connection, which ends the others, is missing');
  for (;;) {
    await first.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [
      await othersThan(mine, first),
    ]);
    const next = await Promise.allSettled(Array.from({ length: 30 }, () => database.connect()));
    const taken = next.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    mine.push(...taken);
    if (taken.length === 0 && (await othersThan(mine, first)).length === 0) return;
  }
}

/** Process ids of the clients' backends that are not of `mine`. */
async function othersThan(mine: readonly pg.Client[], client: pg.Client): Promise<number[]> {
  const pids = mine.map((one) => (one as unknown as { readonly processID: number }).processID);
  const sql = `SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> ALL($1)`;
  return (await client.query<{ pid: number }>(sql, [pids])).rows.map(({ pid }) => pid);
}
