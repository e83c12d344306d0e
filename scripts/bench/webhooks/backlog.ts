import { type IdPrefix, idLowerBound, idPrefixes } from '@vantage/shared/ids.js';
import type pg from 'pg';
import { ensurePartitions } from 'vantage-control/db/partitions.js';
import { openPool } from 'vantage-control/db/storage.js';
import { claimDeliveries } from 'vantage-control/modules/webhooks/sending/claim-store.js';
import { Holdings } from 'vantage-control/modules/webhooks/sending/holdings.js';
import { freePlaces } from 'vantage-control/modules/webhooks/sending/places.js';
import { type Part, type Row, sized } from '../harness.js';
import { type Site, startSite } from '../link/site.js';
import { LoadClient } from '../load.js';
import { msOf, quantile } from '../statistics.js';
import { insertEndpoints, type MadeEndpoint } from './endpoints.js';

// Rows of tables that are partitioned by id, made by PostgreSQL itself. An id is the beginning of those of an instant, which its first
// eight characters show to some milliseconds, and the number of the row:
//
//   whd_1FZ3ybQX 123456789A1234
//        stem        number, 0 to 9 written as the digits 1 to A, since there is no 0

const STEM_LENGTH = 8;
/** SQL of the id of row `n`, of which `stem` is the beginning. */
const ID = `stem || translate(lpad(n::text, 14, '0'), '0123456789', '123456789A')`;
const ENDPOINTS = sized(1_000, 100);
const DAYS = sized(29, 3);
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** One delivery that waits for this many that have ended. */
const ENDED_PER_WAITING = 10;
const PAGES = 200;
const CLAIMS = sized(200, 3);

type BenchDatabase = ReturnType<typeof openPool>;

/** Claims and the log, next to many deliveries. */
export const backlog: Part = {
  name: 'backlog',
  title: 'claims and the log, next to many deliveries',
  question: 'Does a claim take at most 10 ms next to a hundred thousand waiting and a million finished deliveries?',
  method: ({ deliveries }) =>
    `${deliveries} finished deliveries of ${DAYS} days and ${deliveries / ENDED_PER_WAITING} that wait, of ${ENDPOINTS} endpoints that are all due; ${CLAIMS} claims as a replica with nothing under way makes them, rolled back; GET /v1/webhooks/{id}/deliveries of an endpoint with a tenth of all, ${PAGES} times`,
  async run({ deliveries }, stops) {
    const site = await startSite(0, stops);
    const db = openPool({ url: site.databaseUrl, poolSize: 1, applicationName: 'bench' });
    stops.push(() => db.destroy());
    const client = new LoadClient(site.server.url, 1, site.token);
    stops.push(() => client.close());
    for (let day = DAYS; day >= 0; day -= 2) await ensurePartitions(db, Date.now() - day * DAY_MS);
    const { rows } = await site.database.query<{ id: string }>('SELECT id FROM users LIMIT 1');
    const endpoints = await insertEndpoints(site.database, ENDPOINTS, (index) => `https://h${index}.example.com/`);
    const [first] = endpoints;
    // nothing is sent meanwhile
    await site.database.query("UPDATE webhook_queues SET due_at = 'infinity'");
    await site.database.query('UPDATE webhook_endpoints SET owner_id = $1 WHERE id = $2', [rows[0]?.id, first?.id]);
    await insertLog(site, endpoints, deliveries);
    const claims = await timeClaims(db);
    const path = `/v1/webhooks/${first?.id}/deliveries`;
    return [
      row('a claim, p50, ms', quantile(claims, 0.5), 'at most 10'),
      row('a claim, p95, ms', quantile(claims, 0.95), 'at most 10'),
      row('first page of the log, p95, ms', await timePage(client, path), 'at most 50'),
      row('first page of those that failed, p95, ms', await timePage(client, `${path}?status=failed`), 'at most 50'),
    ];
  },
};

function row(what: string, ms: number, goal: string): Row {
  return { what, ours: ms.toFixed(1), baseline: '', ratio: '', goal };
}

/** Durations of claims, each rolled back; that all are due is written once, so that no claim leaves dead rows for the next one. */
async function timeClaims(db: BenchDatabase): Promise<number[]> {
  const holdings = new Holdings();
  const times: number[] = [];
  const prepared = await db.transaction();
  try {
    await prepared.raw('UPDATE webhook_queues SET due_at = now()');
    for (let n = 0; n < CLAIMS; n += 1) {
      const trx = await prepared.transaction();
      const room = { heldOf: () => [], mostOf: (id: string) => holdings.mostOf(id), ...freePlaces([]), known: [] };
      times.push(await msOf(() => claimDeliveries(trx, { ...room, nowMs: Date.now() })));
      await trx.rollback();
    }
  } finally {
    await prepared.rollback();
  }
  return times;
}

/** 95th percentile of the duration of a page, one after another. */
async function timePage(client: LoadClient, path: string): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < PAGES; n += 1) times.push(await msOf(() => client.get(path)));
  return quantile(times, 0.95);
}

async function insertLog({ database }: Site, endpoints: readonly MadeEndpoint[], finished: number): Promise<void> {
  const ids = endpoints.map(({ id }) => id);
  const waiting = finished / ENDED_PER_WAITING;
  const attempt = { duration_ms: 23, status_code: 200, error: null, response: 'ok', response_headers: {} };
  const attempts = JSON.stringify([{ at: new Date().toISOString(), ...attempt }]);
  await fill(
    database,
    `INSERT INTO webhook_deliveries (id, owner_id, endpoint_id, event_id, kind, subject, sequence, payload, status, attempt_count,
       attempts, created_at, finished_at)
     SELECT ${ID}, e.owner_id, e.id, 'evt_' || n, 'monitor.down', 'm_' || n % 10000, n, 'full',
       CASE WHEN n % 1000 = 7 THEN 'failed' ELSE 'delivered' END, 1, $3::jsonb, now() - interval '1 day', now()
     FROM (SELECT n, ($1::text[])[1 + n % array_length($1::text[], 1)] AS stem,
             ($2::text[])[CASE WHEN n % 10 = 7 THEN 1 ELSE 1 + n / 10 % ${ENDPOINTS} END] AS endpoint FROM generate_series(1, $4::bigint) n) r
     JOIN webhook_endpoints e ON e.id = r.endpoint`,
    [stemsOf(idPrefixes.webhookDelivery, DAYS, 1), ids, attempts, finished],
  );
  await fill(
    database,
    `INSERT INTO webhook_events (id, owner_id, kind, subject, sequence, is_test, at, data)
     SELECT ${ID}, '', 'monitor.down', 'm_' || n % 10000, n, false, now(), decode(repeat('ab', 300), 'hex')
     FROM (SELECT n, ($1::text[])[1 + n % array_length($1::text[], 1)] AS stem FROM generate_series(1, $2::bigint) n) r`,
    [stemsOf(idPrefixes.event, 1, 0), waiting],
  );
  await fill(
    database,
    `INSERT INTO webhook_deliveries (id, owner_id, endpoint_id, event_id, kind, subject, sequence, payload, status, due_at, created_at)
     SELECT ${ID}, e.owner_id, e.id, (${ID.replace('stem', 'event_stem')}), 'monitor.down', 'm_' || n % 10000, n, 'full',
       CASE WHEN n % 10 = 0 THEN 'retrying' ELSE 'pending' END,
       now() - interval '1 hour', now() - interval '1 day'
     FROM (SELECT n, ($1::text[])[1 + n % array_length($1::text[], 1)] AS stem, ($2::text[])[1 + n % array_length($2::text[], 1)] AS event_stem,
             ($3::text[])[1 + n / 10 % ${ENDPOINTS}] AS endpoint FROM generate_series(1, $4::bigint) n) r
     JOIN webhook_endpoints e ON e.id = r.endpoint`,
    [stemsOf(idPrefixes.webhookDelivery, 1, 0), stemsOf(idPrefixes.event, 1, 0), ids, waiting],
  );
  await fill(
    database,
    `INSERT INTO webhook_waiting (delivery_id, endpoint_id, subject, sequence, lane, due_at)
     SELECT id, endpoint_id, subject, sequence, CASE status WHEN 'retrying' THEN 'retry' ELSE 'new' END, due_at
     FROM webhook_deliveries WHERE due_at IS NOT NULL`,
  );
  for (const table of ['webhook_waiting', 'webhook_deliveries', 'webhook_events'])
    await fill(database, `VACUUM ANALYZE ${table}`);
}

/** Runs a statement however long it takes. */
async function fill(database: pg.Pool, statement: string, values: readonly unknown[] = []): Promise<void> {
  const client = await database.connect();
  try {
    await client.query('SET statement_timeout = 0');
    await client.query("SET maintenance_work_mem = '1GB'");
    await client.query(statement, [...values]);
  } finally {
    client.release(true);
  }
}

/** Beginnings of the ids of each hour from `days` ago until `untilDays` ago. */
function stemsOf(prefix: IdPrefix, days: number, untilDays: number): string[] {
  const stems: string[] = [];
  // a minute later than the day begins, for the rest of an id may be smaller than that of its bound
  const nowMs = Math.floor(Date.now() / DAY_MS) * DAY_MS + 60_000;
  for (let atMs = nowMs - days * DAY_MS; atMs < nowMs - untilDays * DAY_MS; atMs += HOUR_MS)
    stems.push(idLowerBound(prefix, atMs).slice(0, prefix.length + STEM_LENGTH));
  return stems;
}
