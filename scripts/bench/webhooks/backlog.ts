import { idPrefixes } from '@vantage/shared/ids.js';
import { ensurePartitions } from 'vantage-control/db/partitions.js';
import { openPool } from 'vantage-control/db/storage.js';
import { claimDeliveries } from 'vantage-control/modules/webhooks/sending/claim-store.js';
import { Holdings } from 'vantage-control/modules/webhooks/sending/holdings.js';
import { freePlaces } from 'vantage-control/modules/webhooks/sending/places.js';
import { fill, ID, stemsOf, timeClaims, timePage } from '../backlog.js';
import type { LinkComparison } from '../link/comparison.js';
import { type Site, startSite } from '../link/site.js';
import { LoadClient } from '../load.js';
import { sized } from '../sized.js';
import { insertEndpoints, type MadeEndpoint } from './endpoints.js';

const ENDPOINTS = sized(1_000, 100);
const DAYS = sized(29, 3);
const DAY_MS = 86_400_000;
/** One delivery that waits for so many that have ended. */
const ENDED_PER_WAITING = 10;

/** Claims and the log, beside many deliveries. */
export const backlog: LinkComparison = {
  name: 'backlog',
  title: 'claims and the log, beside many deliveries',
  question: 'Does a claim take at most 10 ms beside a million waiting and ten million finished deliveries?',
  method: ({ deliveries }) =>
    `${deliveries} finished deliveries of ${DAYS} days and ${deliveries / ENDED_PER_WAITING} that wait, of ${ENDPOINTS} endpoints that are all due; claims as a replica with nothing under way makes them, rolled back; GET /v1/webhooks/{id}/deliveries of an endpoint with a tenth of all`,
  async run({ deliveries }) {
    const site = await startSite(0);
    const db = openPool({ url: site.databaseUrl, poolSize: 1, applicationName: 'bench' });
    const client = new LoadClient(site.url, 1, site.token);
    const holdings = new Holdings();
    try {
      for (let day = DAYS; day >= 0; day -= 2) await ensurePartitions(db, Date.now() - day * DAY_MS);
      const { rows } = await site.database.query<{ id: string }>('SELECT id FROM users LIMIT 1');
      const endpoints = await insertEndpoints(site.database, ENDPOINTS, (index) => `https://h${index}.example.com/`);
      const [first] = endpoints;
      // nothing is sent meanwhile
      await site.database.query("UPDATE webhook_queues SET due_at = 'infinity'");
      await site.database.query('UPDATE webhook_endpoints SET owner_id = $1 WHERE id = $2', [rows[0]?.id, first?.id]);
      await insertLog(site, endpoints, deliveries);
      const path = `/v1/webhooks/${first?.id}/deliveries`;
      return [
        ...(await timeClaims(
          db,
          (trx) =>
            claimDeliveries(trx, {
              heldOf: () => [],
              mostOf: (id) => holdings.mostOf(id),
              nowMs: Date.now(),
              ...freePlaces([]),
              known: [],
            }),
          (trx) => trx.raw('UPDATE webhook_queues SET due_at = now()'),
        )),
        await timePage(client, 'first page of the log', path),
        await timePage(client, 'first page of those that failed', `${path}?status=failed`),
      ];
    } finally {
      await client.close();
      await db.destroy();
      await site.stop();
    }
  },
};

async function insertLog({ database }: Site, endpoints: readonly MadeEndpoint[], finished: number): Promise<void> {
  const ids = endpoints.map(({ id }) => id);
  const waiting = finished / ENDED_PER_WAITING;
  const attempts = JSON.stringify([
    {
      at: new Date().toISOString(),
      duration_ms: 23,
      status_code: 200,
      error: null,
      response: 'ok',
      response_headers: {},
    },
  ]);
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
    [],
  );
  await fill(database, 'VACUUM ANALYZE webhook_waiting', []);
  await fill(database, 'VACUUM ANALYZE webhook_deliveries', []);
  await fill(database, 'VACUUM ANALYZE webhook_events', []);
}
