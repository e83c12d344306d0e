import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { MissedReport } from '@vantage/shared/monitor-state/check-report.js';
import { MISSED_KIND } from '@vantage/shared/monitor-state/report-kinds.js';
import { compileSchema } from '@vantage/shared/validation.js';
import { pino } from 'pino';
import t from 'tap';
import { expiryWatch } from '../src/modules/monitors/checks/expiry-watch.js';
import { noDataWatch } from '../src/modules/monitors/judging/no-data-watch.js';
import { webhookKindNames } from '../src/modules/webhooks/kinds/index.js';
import { bodySchema } from '../src/modules/webhooks/kinds/payload.js';
import { CheckingNode } from './_support/checking-node.js';
import { startStack } from './_support/stack.js';
import { insertMonitor } from './_support/stored-monitor.js';
import { insertNode } from './_support/stored-node.js';
import { WebhookReceiver } from './_support/webhook-receiver.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

t.test('every kind of event is sent at its occasion, in both forms, each of which matches its schema', async (t) => {
  const { api, database } = await startStack(t, {}, systemClock);
  const { db } = database;
  const watching = { db, clock: systemClock, log: pino({ level: 'silent' }), maintenance: async () => new Map() };
  const receivers = { full: await WebhookReceiver.start(t), thin: await WebhookReceiver.start(t) };
  const call = async (method: string, path: string, body?: object) => {
    const answer = await api.call(method, path, body === undefined ? {} : { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body?.data;
  };
  const ids: string[] = [];
  for (const [payload, { url }] of Object.entries(receivers))
    ids.push((await call('POST', '/v1/webhooks', { url, payload, events: ['*'] })).endpoint.id);
  const typesSoFar = () => receivers.full.events.map(({ body }) => body.type as string);
  const arrives = (type: string) => until(type, () => typesSoFar().includes(type));

  const node = await CheckingNode.join(t, api);
  await arrives('node.online');
  const make = async (name: string) => {
    const { id } = await call('POST', '/v1/monitors', { name, type: 'tcp', target: '127.0.0.1:9', interval_s: 60 });
    await node.waitForAssignment(id);
    return id as string;
  };
  const shop = await make('Shop');
  const eventOf = async (id: string) => (await call('GET', `/v1/monitors/${id}/events`)).items[0].id as string;
  node.check(shop, 'failed');
  await arrives('monitor.down');
  await arrives('alert.firing');
  await call('POST', `/v1/monitor-events/${await eventOf(shop)}/ack`);
  await arrives('monitor.acknowledged');
  await arrives('alert.acknowledged');
  await call('POST', `/v1/monitor-events/${await eventOf(shop)}/resolve`);
  await arrives('monitor.resolved');
  await arrives('alert.resolved');

  const depot = await make('Depot');
  node.check(depot, 'degraded');
  await arrives('monitor.degraded');
  node.check(depot, 'ok');
  await arrives('monitor.up');
  const flappy = await make('Flappy');
  const past = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS);
  for (let minutes = 21; minutes > 1; minutes -= 2)
    await db('monitor_events').insert({
      id: newId(idPrefixes.monitorEvent),
      monitor_id: flappy,
      type: 'down',
      started_at: past(minutes),
      ended_at: past(minutes - 1),
    });
  node.check(flappy, 'failed');
  await arrives('monitor.flapping');
  for (const [verb, type] of [
    ['pause', 'monitor.paused'],
    ['resume', 'monitor.resumed'],
    ['archive', 'monitor.archived'],
  ] as const) {
    await call('POST', `/v1/monitors/${depot}/${verb}`);
    await arrives(type);
  }
  await call('DELETE', `/v1/monitors/${depot}`);
  await arrives('monitor.deleted');

  const silent = await make('Silent');
  node.check(silent, 'ok');
  await until(
    'its state',
    async () => (await db('monitor_states').where({ monitor_id: silent, health: 'up' })).length === 1,
  );
  const longAgo = new Date(Date.now() - 20 * MINUTE_MS);
  await db('monitor_states')
    .where({ monitor_id: silent })
    .update({ health: 'unknown', changed_at: longAgo, first_check_at: longAgo });
  await noDataWatch(watching).run();
  await arrives('monitor.no_data');

  for (const [type, details] of [
    ['ssl_expiry', { not_after: new Date(Date.now() + 2 * DAY_MS).toISOString() }],
    ['domain_expiry', { expires_at: new Date(Date.now() + 2 * DAY_MS).toISOString() }],
  ] as const) {
    const config = { warn_days: 14, critical_days: 3 };
    const { key } = await insertMonitor(db, [], { owner_id: api.userId, type, config });
    await db('check_details').insert({ at: new Date(), monitor_key: key, node_key: 1, details });
  }
  await expiryWatch(watching).run();
  await arrives('ssl.expiring');
  await arrives('domain.expiring');

  for (const agoMs of [19 * MINUTE_MS, 12 * MINUTE_MS]) {
    const first_slot_ms = Date.now() - agoMs;
    const last_slot_ms = first_slot_ms + 4 * MINUTE_MS;
    const generation = node.assignments.get(shop)?.generation ?? 0;
    const missed = {
      monitor_id: shop,
      generation,
      first_slot_ms,
      last_slot_ms,
      count: 5,
      reason: 'uplink_lost',
    } as const;
    node.deliver(MISSED_KIND, { ...missed, through_ms: last_slot_ms } satisfies MissedReport);
  }
  await arrives('node.unhealthy');
  const gone = await insertNode(db, { owner_id: api.userId, session_id: 'ses_1' });
  await until('it is known', async () => (await db('node_presence').where({ node_id: gone })).length === 1);
  await db('nodes').where({ id: gone }).update({ session_id: null });
  await db('nodes')
    .where({ id: gone })
    .update({ left_at: new Date(Date.now() - 2 * MINUTE_MS) });
  await arrives('node.offline');
  await call('POST', `/v1/admin/nodes/${gone}/ban`, { reason: 'abuse' });
  await arrives('node.banned');
  for (const id of ids) await call('POST', `/v1/webhooks/${id}/test`, {});
  await arrives('webhook.test');

  t.same([...new Set(typesSoFar())].toSorted(), webhookKindNames.toSorted());
  await until('the thin ones', () => receivers.thin.events.length === receivers.full.events.length);
  for (const [form, { events }] of Object.entries(receivers))
    for (const { body } of events) {
      const checked = compileSchema(bodySchema(body.type, form as 'full'))(body);
      t.ok(checked.ok, `${body.type}, ${form}: ${checked.ok ? '' : JSON.stringify(checked)}`);
    }
});
