import { until } from '@vantage/shared/_support/until.js';
import type { MissedReport } from '@vantage/shared/monitor-state/check-report.js';
import { MISSED_KIND } from '@vantage/shared/monitor-state/report-kinds.js';
import t from 'tap';
import { deleteOldUplinkLosses } from '../src/modules/monitors/checks/uplink-store.js';
import { CheckingNode } from './_support/checking-node.js';
import { createTestDatabase } from './_support/database.js';
import { keepEvents } from './_support/kept-events.js';
import { startStack } from './_support/stack.js';
import { insertMonitor } from './_support/stored-monitor.js';
import { insertUser } from './_support/stored-node.js';

const MINUTE_MS = 60_000;
const MONITORS = 40;
/** Delay of a monitor after the previous one, in milliseconds: together they fill most of a minute. */
const DELAY_MS = 1_250;

t.test('when the node of forty monitors loses its uplink, no monitor is reported, and the node once', async (t) => {
  const { api, database } = await startStack(t);
  await keepEvents(database.db);
  const { db } = database;
  const node = await CheckingNode.join(t, api);
  const userId = await insertUser(db, { plan: 'unlimited' });
  const ids: string[] = [];
  for (let i = 0; i < MONITORS; i += 1) ids.push((await insertMonitor(db, [node.nodeId], { owner_id: userId })).id);
  const now = Date.now();
  const checked = (id: string, slot_ms: number) => node.check(id, { generation: 1, slot_ms });
  for (const id of ids) checked(id, now - 20 * MINUTE_MS);
  const missed = (id: string, index: number, firstMs: number, reason: MissedReport['reason'] = 'uplink_lost') => {
    const first_slot_ms = firstMs + index * DELAY_MS;
    const last_slot_ms = first_slot_ms + 4 * MINUTE_MS;
    const body = { monitor_id: id, generation: 1, first_slot_ms, last_slot_ms, count: 5, reason };
    node.deliver(MISSED_KIND, { ...body, through_ms: last_slot_ms } satisfies MissedReport);
  };
  for (const [index, id] of ids.entries()) missed(id, index, now - 19 * MINUTE_MS);
  for (const [index, id] of ids.entries()) missed(id, index, now - 12 * MINUTE_MS);
  for (const id of ids) checked(id, now);
  await until('all is stored', async () => (await db('monitor_checks')).length === 2 * MONITORS);
  t.equal((await db('missed_slots')).length, 2 * MONITORS);
  await until('all are judged', async () => (await db('monitor_states').where({ health: 'up' })).length === MONITORS);
  t.same(await db('monitor_events'), []);
  const outbox = await db('outbox').where({ kind: 'node.unhealthy' });
  t.match(outbox, [{ kind: 'node.unhealthy', subject: node.nodeId, payload: { reason: 'uplink_lost' } }]);
  t.equal(outbox.length, 1);
  t.equal(outbox[0].payload.since, new Date(now - 19 * MINUTE_MS).toISOString());
  t.match(await db('audit_log').where({ action: 'node.uplink_lost' }), [{ subject: node.nodeId }]);
  const [loss] = await db('node_uplink_losses');
  t.same(
    [loss.first_at, loss.last_at],
    [new Date(now - 19 * MINUTE_MS), new Date(now - 8 * MINUTE_MS + (MONITORS - 1) * DELAY_MS)],
  );

  const [id] = ids as [string];
  missed(id, 0, now - 300 * MINUTE_MS);
  await until('another loss', async () => (await db('outbox').where({ kind: 'node.unhealthy' })).length === 2);
  missed(id, 0, now - 600 * MINUTE_MS, 'behind');
  missed(id, 0, now - 290 * MINUTE_MS);
  await until('it is stored', async () => (await db('missed_slots')).length === 2 * MONITORS + 3);
  t.equal(
    (await db('outbox').where({ kind: 'node.unhealthy' })).length,
    2,
    'slots missed for another reason do not count, and near ones belong to the same loss',
  );
});

t.test('a loss of an uplink is forgotten when it cannot continue any more', async (t) => {
  const { db } = await createTestDatabase(t);
  const losses = [29, 31].map((days) => ({
    node_id: `n_${days}`,
    first_at: new Date(Date.now() - (days + 1) * 86_400_000),
    last_at: new Date(Date.now() - days * 86_400_000),
  }));
  await db('node_uplink_losses').insert(losses);
  await deleteOldUplinkLosses(db);
  t.same(await db('node_uplink_losses').pluck('node_id'), ['n_29']);
});
