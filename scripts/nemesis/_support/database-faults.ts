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

/** Takes all connections away from their owners. @returns a function that gives them back */
export async function takeAllConnections({ database }: World): Promise<() => Promise<void>> {
  const mine: pg.Client[] = [await database.connect()];
  const cutOthers = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND application_name LIKE 'vantage%'`;
  for (;;) {
    await mine[0]?.query(cutOthers);
    const next = await Promise.allSettled(Array.from({ length: 30 }, () => database.connect()));
    mine.push(...next.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])));
    if (next.some(({ status }) => status === 'fulfilled')) continue;
    // one that is just being opened has no name yet, and is there a moment later
    await delay(systemClock, 300);
    const { rows } =
      (await mine[0]?.query("SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> ALL($1)", [
        mine.map((client) => (client as unknown as { readonly processID: number }).processID),
      ])) ?? {};
    if (rows?.length === 0) break;
  }
  return async () => void (await Promise.all(mine.map((client) => client.end().catch(() => {}))));
}
