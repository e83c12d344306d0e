import { openDatabase } from 'vantage-control/db/database.js';
import { ensurePartitions } from 'vantage-control/db/partitions.js';
import type { LinkComparison, LinkRow } from '../link/comparison.js';
import { closedLoop, LoadClient } from '../load.js';
import { sized } from '../sized.js';
import { figureOf, figureText } from '../statistics.js';
import { startWatchedSite, type WatchedSite } from './watched-site.js';

const SIZES = sized([200_000, 2_000_000, 20_000_000], [100, 1_000]);
const MONITORS = sized(10_000, 100);
const NODES = 3;
const DAYS = sized(90, 6);
const EVENTS = sized(100_000, 1_000);
const AT_ONCE = 1_000_000;
const DAY_MS = 86_400_000;
const SECONDS = sized(5, 0.2);

/** Duration of a page of monitors by the number of stored checks. */
export const list: LinkComparison = {
  name: 'list',
  title: 'a page of 100 monitors with state and uptime, beside the checks of 90 days',
  question: 'Does a page of monitors take at most 8 ms, however many checks are stored?',
  method: ({ rounds }) =>
    `${MONITORS} monitors with ${EVENTS} events, checks spread over ${DAYS} daily partitions; GET /v1/monitors?limit=100 over a kept connection, one after another, ${rounds} rounds of ${SECONDS} s at each size`,
  async run({ rounds }) {
    const watched = await startWatchedSite({
      monitors: MONITORS,
      nodes: NODES,
      perMonitor: NODES,
      intervalSeconds: 60,
    });
    const client = new LoadClient(watched.site.url, 1, watched.site.token);
    try {
      await partitionDays(watched);
      await insertEvents(watched);
      const rows: LinkRow[] = [];
      let base = 0;
      let stored = 0;
      for (const size of SIZES) {
        await insertChecks(watched, size - stored);
        stored = size;
        const times: number[] = [];
        for (let round = 0; round < rounds; round += 1) {
          const { p95 } = await closedLoop(() => client.get('/v1/monitors?limit=100'), 1, SECONDS);
          times.push(p95);
        }
        const own = figureOf(times);
        if (base === 0) base = own.median;
        rows.push({
          what: `${size} checks stored, p95, ms`,
          ours: figureText(own, 1),
          baseline: size === SIZES[0] ? '' : `${SIZES[0]} checks: ${base.toFixed(1)}`,
          ratio: size === SIZES[0] ? '' : (own.median / base).toFixed(2),
          goal: 'at most 8',
        });
      }
      return rows;
    } finally {
      await client.close();
      await watched.stop();
    }
  },
};

async function partitionDays({ site }: WatchedSite): Promise<void> {
  const db = openDatabase({ url: site.databaseUrl, poolSize: 1, applicationName: 'bench' });
  try {
    for (let day = DAYS; day >= 0; day -= 6) await ensurePartitions(db, Date.now() - day * DAY_MS);
  } finally {
    await db.destroy();
  }
}

/** Ten of each monitor, of three minutes each. */
async function insertEvents({ site }: WatchedSite): Promise<void> {
  await site.database.query(
    `INSERT INTO monitor_events (id, monitor_id, type, started_at, ended_at, created_at)
     SELECT 'ev_' || m.id || '_' || n, m.id, 'down', at, at + interval '3 min', at
     FROM monitors m, generate_series(1, $1::int) n, LATERAL (SELECT now() - n * interval '9 days' + interval '1 hour' AS at) t`,
    [EVENTS / MONITORS],
  );
}

/** Inserts checks spread over all days and monitors; one in fifty failed. */
async function insertChecks({ site }: WatchedSite, count: number): Promise<void> {
  const client = await site.database.connect();
  try {
    await client.query('SET statement_timeout = 0');
    for (let at = 0; at < count; at += AT_ONCE) {
      await client.query(
        `INSERT INTO monitor_checks (at, monitor_key, node_key, late_ms, response_ms, status_code, outcome, flags, keep_days)
         SELECT now() - random() * interval '${DAYS - 1} days', k.key, n.key, 3, (20 * power(10, random()))::real, 200,
                CASE WHEN i % 50 = 0 THEN 2 ELSE 0 END, 0, 90
         FROM generate_series(1, $1::int) i
         JOIN (SELECT key, row_number() OVER () - 1 AS at FROM monitors) k ON k.at = i % ${MONITORS}
         JOIN (SELECT key, row_number() OVER () - 1 AS at FROM nodes) n ON n.at = i % ${NODES}`,
        [Math.min(AT_ONCE, count - at)],
      );
    }
    await client.query('VACUUM ANALYZE monitor_checks');
    await client.query('ANALYZE monitor_events');
  } finally {
    client.release(true);
  }
}
