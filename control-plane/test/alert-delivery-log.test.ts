import t from 'tap';
import { listDeliveries } from '../src/modules/alerts/deliveries/delivery-store.js';
import { personalOwner } from '../src/owners/index.js';
import { createTestDatabase } from './_support/database.js';
import { planOf } from './_support/plan-of.js';

const OWNER = personalOwner('u_1');
const ALL = { alertId: undefined, kind: undefined, fromMs: null, toMs: null, after: null, limit: 50 };

t.test(
  'a page of the log of a channel, of an alert or of those given up is read by an index, however many others there are',
  async (t) => {
    const { db } = await createTestDatabase(t);
    await db.raw(
      `CREATE TABLE alert_deliveries_all PARTITION OF alert_deliveries DEFAULT;
     INSERT INTO alert_deliveries (id, owner_id, is_test, channel_id, channel_name, type, kind, alert_ids, alert_count, message_group, thread,
       priority, title, text, message, status, created_at, finished_at)
     SELECT 'zz_' || lpad(n::text, 8, '0'), 'u_1', false, 'ch_' || n % 500, 'Operations', 'webhook', 'firing', ARRAY['ae_' || n], 1, 'g' || n,
       't' || n, 1, 'Shop is down', 'Shop is down', '', CASE WHEN n % 500 = 7 THEN 'dead' ELSE 'sent' END, now(), now()
     FROM generate_series(1, 20000) n;
     ANALYZE alert_deliveries`,
    );
    const cases = [
      [{ channelId: 'ch_9', status: undefined }, /channel_id_id_idx/],
      [{ channelId: undefined, status: 'dead' }, /owner_id_status_id_idx/],
      [{ channelId: undefined, status: undefined, alertId: 'ae_9' }, /alert_ids_idx/],
    ] as const;
    for (const [filter, index] of cases) {
      const plan = await planOf(db, () => listDeliveries(db, OWNER, { ...ALL, ...filter }));
      t.match(plan, index, JSON.stringify(filter));
    }
  },
);
