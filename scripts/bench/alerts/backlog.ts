import { idPrefixes } from '@vantage/shared/ids.js';
import { ensurePartitions } from 'vantage-control/db/partitions.js';
import { openPool } from 'vantage-control/db/storage.js';
import { claimDeliveries } from 'vantage-control/modules/alerts/deliveries/lane-store.js';
import { fill, ID, stemsOf, timeClaims, timePage } from '../backlog.js';
import type { BenchDatabase } from '../bench-database.js';
import type { LinkComparison } from '../link/comparison.js';
import { type Site, startSite } from '../link/site.js';
import { LoadClient } from '../load.js';
import { sized } from '../sized.js';
import { insertPolicies } from './policies.js';

const CHANNELS = sized(1_000, 100);
const DAYS = sized(89, 3);
const DAY_MS = 86_400_000;
/** One message that waits for so many that have ended. */
const ENDED_PER_WAITING = 10;
/** Messages that a replica with nothing in flight claims. */
const AT_ONCE = 64;

/** Claims and the log, beside many messages. */
export const backlog: LinkComparison = {
  name: 'backlog',
  title: 'claims and the log, beside many messages',
  question: 'Does a claim take at most 10 ms beside a million waiting and ten million finished messages?',
  method: ({ deliveries }) =>
    `${deliveries} finished messages of ${DAYS} days and ${deliveries / ENDED_PER_WAITING} that wait, of ${CHANNELS} channels of one account that are all due; claims of ${AT_ONCE} channels with the next message of each, rolled back; GET /v1/alert-deliveries`,
  async run({ deliveries }) {
    const site = await startSite(0);
    const db = openPool({ url: site.databaseUrl, poolSize: 1, applicationName: 'bench' });
    const client = new LoadClient(site.url, 1, site.token);
    try {
      for (let day = DAYS; day >= 0; day -= 2) await ensurePartitions(db, Date.now() - day * DAY_MS);
      const channels = await insertPolicies(site.database, { count: CHANNELS, url: 'https://example.com' });
      const ids = channels.map(({ channelId }) => channelId);
      await insertLog(site, ids, deliveries);
      return [
        ...(await timeClaims(db, claim, (trx) => trx.raw('UPDATE alert_lanes SET due_at = now()'))),
        await timePage(client, 'first page of the log', '/v1/alert-deliveries'),
        await timePage(client, 'first page of a channel', `/v1/alert-deliveries?channel_id=${ids[1]}`),
        await timePage(client, 'first page of those given up', '/v1/alert-deliveries?status=dead'),
      ];
    } finally {
      await client.close();
      await db.destroy();
      await site.stop();
    }
  },
};

async function claim(trx: BenchDatabase): Promise<void> {
  const nowMs = Date.now();
  const room = { limit: AT_ONCE, ofAccount: AT_ONCE, inFlight: new Map<string, number>() };
  const { rows } = await claimDeliveries(trx, { id: 'bench', nowMs, untilMs: nowMs + 60_000 }, room);
  if (rows.length !== AT_ONCE) throw new Error(`claimed ${rows.length} messages`);
}

async function insertLog({ database }: Site, channelIds: readonly string[], finished: number): Promise<void> {
  const waiting = finished / ENDED_PER_WAITING;
  const attempts = JSON.stringify([
    {
      at: new Date().toISOString(),
      duration_ms: 23,
      outcome: 'accepted',
      status_code: 200,
      error: null,
      response: 'ok',
    },
  ]);
  const insert = (columns: string) =>
    `INSERT INTO alert_deliveries (id, owner_id, is_test, channel_id, channel_name, type, kind, alert_ids, alert_count, message_group, thread,
       priority, title, text, message, status, attempts, tries, next_attempt_at, created_at, finished_at)
     SELECT ${ID}, u.id, false, channel, 'Operations', 'webhook', 'firing', ARRAY['ae_' || n], 1, 'g' || n, 't' || n, 1 + n % 3,
       'Shop is down', repeat('x', 200), decode(repeat('ab', 300), 'hex'), ${columns}
     FROM (SELECT n, ($1::text[])[1 + n % array_length($1::text[], 1)] AS stem, ($2::text[])[1 + n / 10 % ${CHANNELS}] AS channel
           FROM generate_series(1, $3::bigint) n) r, (SELECT id FROM users LIMIT 1) u`;
  await fill(
    database,
    insert("CASE WHEN n % 1000 = 7 THEN 'dead' ELSE 'sent' END, $4::jsonb, 1, NULL, now() - interval '1 day', now()"),
    [stemsOf(idPrefixes.alertDelivery, DAYS, 1), channelIds, finished, attempts],
  );
  await fill(
    database,
    insert(
      "'pending', '[]', 0, now() - interval '1 hour', now() - interval '1 hour' + n * interval '1 microsecond', NULL",
    ),
    [stemsOf(idPrefixes.alertDelivery, 1, 0), channelIds, waiting],
  );
  await database.query(
    "INSERT INTO alert_lanes (channel_id, owner_id, due_at) SELECT c, u.id, 'infinity' FROM unnest($1::text[]) c, (SELECT id FROM users LIMIT 1) u",
    [channelIds],
  );
  await fill(database, 'VACUUM ANALYZE alert_deliveries', []);
  await fill(database, 'VACUUM ANALYZE alert_lanes', []);
}
