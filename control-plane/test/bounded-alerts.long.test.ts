import { alertSeverities } from '@vantage/shared/alerts/policy.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t, { type Test } from 'tap';
import { SecretMask } from '../src/deliver/index.js';
import { eventKinds, publishAll } from '../src/events/index.js';
import { itemsText } from '../src/http/items-text.js';
import { groupOf, groupValue } from '../src/modules/alerts/groups/alert-group.js';
import { policyView } from '../src/modules/alerts/policies/policy-view.js';
import { alertSilences } from '../src/modules/alerts/silences/alert-silences.js';
import { SilenceIndex } from '../src/modules/alerts/silences/silence-index.js';
import { silenceView } from '../src/modules/alerts/silences/silence-row.js';
import { previewOf } from '../src/modules/domain-combo/preview.js';
import { Slices } from '../src/runtime/slices.js';
import { type AlertWorld, openAlertWorld } from './_support/alert-world.js';
import { holdsNobodyUp } from './_support/longest-turn.js';
import { accountOf } from './_support/owners.js';
import { startStack } from './_support/stack.js';
import { WebhookWorld } from './_support/webhook-world.js';

// Loops of alerts, webhooks and combinations of domains, each at its bound (docs/decisions/0017).

const HOUR_MS = 3_600_000;
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const { signal } = new AbortController();
const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const zones = Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/'));
/** Texts of an owner that take as long as any. */
const slowTexts = {
  title: '{{monitor.target|upper}}'.repeat(20),
  text: '{{text|json|upper|json|upper|truncate:16000}}'.repeat(180),
};

const loops: readonly { readonly name: string; readonly work: () => unknown }[] = [
  {
    name: 'a response of asterisks, with secrets of asterisks',
    work: () => SecretMask.of(many(7, (length) => '*'.repeat(length + 1))).apply('*'.repeat(65_536)),
  },
  {
    name: 'a response that repeats the beginnings of twenty secrets',
    work: () =>
      SecretMask.of(many(20, (n) => `${'a'.repeat(1_000)}b${'a'.repeat(1_000 + n)}`)).apply('a'.repeat(12_000)),
  },
  {
    name: 'five thousand combinations, none of which is a domain',
    work: () =>
      previewOf(
        { lists: [...many(7, () => ['ﷺ'.repeat(63)]), many(1_000, String)], tlds: many(50, () => 'com') },
        5_000,
        signal,
      ),
  },
  {
    name: 'five hundred silences of two hundred tags, asked for a thousand monitors with twenty tags',
    work: async () => {
      const silences = many(500, (n) => ({
        id: `asl_${n}`,
        isTest: false,
        scope: 'tag' as const,
        scopeIds: new Set(many(200, (tag) => `tag ${n} ${tag}`)),
        severities: [...alertSeverities],
        startsAtMs: 0,
        endsAtMs: 2,
      }));
      const index = await SilenceIndex.of(silences, 1, new Slices());
      const monitor = { id: 'm_1', isTest: true, groupId: 'mgr_1', tags: many(20, (tag) => `tag ${tag}`) };
      for (let asked = 0; asked < 1_000; asked += 1) index.untilMs(monitor, 'critical');
    },
  },
  {
    name: 'fifty groups of long prefixes, asked for a thousand monitors',
    work: () => {
      const value = groupValue('monitor_prefix', 'ﷺ'.repeat(200));
      const group = { id: 'agr_1', name: 'g', isTest: false, by: 'monitor_prefix', value } as const;
      const groups = many(50, (n) => ({ ...group, waitMs: 0, intervalMs: 0, createdAtMs: n }));
      const monitor = { name: 'ß'.repeat(200), isTest: false, tags: [], type: 'tcp' };
      for (let asked = 0; asked < 1_000; asked += 1) groupOf(groups, monitor);
    },
  },
];

for (const { name, work } of loops) t.test(`bounded: ${name}`, (t) => holdsNobodyUp(t, name, work));

/** A world in which nothing is sent. */
async function quietWorld(t: Test): Promise<AlertWorld> {
  const world = await openAlertWorld(t);
  await world.sender.stop();
  return world;
}

t.test('bounded: one outage is sent to ten channels of twenty recipients, in custom texts', async (t) => {
  const world = await quietWorld(t);
  const to = ['owner@test.example', ...many(19, (n) => `person${n}@test.example`)];
  const channels = [];
  for (let n = 0; n < 10; n += 1)
    channels.push(await world.addChannel(`Mail ${n}`, 'email', { to }, { template: slowTexts }));
  await world.db('alert_recipients').update({ verified_at: new Date() });
  const alert_policy_id = await world.addPolicy(channels);
  await holdsNobodyUp(t, 'messages', async () => {
    const columns = { target: `https://${'t'.repeat(1_900)}`, alert_policy_id };
    await world.happens('down', [await world.addMonitor(newId(idPrefixes.monitor), columns)]);
    await world.consumers.run();
  });
  t.ok((await world.db('alert_deliveries').where({ kind: 'firing' })).length >= 200);
});

t.test(
  'bounded: a hundred and fifty monitors go down, with policies of twenty rules in zones of their own',
  async (t) => {
    const world = await quietWorld(t);
    const channels = [];
    for (let n = 0; n < 10; n += 1)
      channels.push(await world.addChannel(`Hook ${n}`, 'webhook', { url: `https://127.0.0.1:9443/${n}` }));
    const choices = channels.map(({ id }) => ({ type: 'webhook', channel_id: id, to: null }));
    const window = (place: number) => ({ days, start: '00:00', end: '23:59', timezone: zones[place % zones.length] });
    const policies: string[] = [];
    for (let n = 0; n < 30; n += 1) {
      const rules = many(20, (rule) => ({
        match: { severity: [], tags_any: [], time_window: window(20 * n + rule) },
        channels: choices,
        delay_sec: 0,
        repeat: { enabled: true, interval_sec: 300, max_count: 100 },
      }));
      const quiet = many(7, (hours) => ({
        ...window(27 * n + hours),
        end: '00:01',
        below: 'critical',
        action: 'hold',
      }));
      const suppression = { after_sec: 0, quiet_hours: quiet, flapping: 'all', no_data_after_sec: 0, depends_on: [] };
      policies.push(await world.addPolicy([], { rules, suppression } as never));
    }
    const tags = many(20, (tag) => `tag${tag}`);
    await holdsNobodyUp(t, 'alerts', async () => {
      const fresh = many(150, (n) => ({ name: newId(idPrefixes.monitor), tags, alert_policy_id: policies[n % 30] }));
      await world.happens('down', await world.addMonitors(fresh), { reason: 'r'.repeat(5_000) });
      await world.consumers.run();
    });
    await holdsNobodyUp(t, 'digests', async () => {
      world.clock.advance(HOUR_MS);
      await world.watch.run();
    });
  },
);

t.test('bounded: a thousand events for twenty endpoints, and a recovery of all of them', async (t) => {
  const world = await WebhookWorld.create(t);
  const filter = { tags_any: many(20, (tag) => `tag${tag}`) };
  for (let n = 0; n < 20; n += 1) await world.endpoint(`https://127.0.0.1:9443/${n}`, { filter });
  const { eventExample } = eventKinds['monitor.down'].webhook;
  const event = { ...eventExample.event, reason: 'r'.repeat(2_000), affected_nodes: many(50, (n) => `n_${n}`) };
  await holdsNobodyUp(t, 'events', async () => {
    const events = many(1_000, () => {
      const subject = newId(idPrefixes.monitor);
      const monitor = { ...eventExample.monitor, id: subject, target: 't'.repeat(2_000), tags: ['tag19'] };
      const payload = { ...eventExample, event, monitor };
      return { kind: 'monitor.down', ownerId: world.userId, isTest: false, subject, payload } as never;
    });
    await publishAll(world.db, events);
    await world.relay.run();
  });
  const [{ id: endpointId }] = await world.db('webhook_endpoints').select('id').limit(1);
  const missed = { status: 'failed', due_at: null, finished_at: new Date() };
  await holdsNobodyUp(t, 'recovery', async () => {
    await world.db('webhook_waiting').delete();
    await world.db('webhook_deliveries').update(missed);
    const at = { sinceMs: world.clock.now() - HOUR_MS, untilMs: world.clock.now() + HOUR_MS, isAll: true };
    t.ok((await world.deliveries.recover(endpointId, at, world.act)) >= 1_000);
  });
});

t.test('bounded: the longest lists of deliveries, policies and silences', async (t) => {
  const { api, database, controlPlane } = await startStack(t);
  const { db } = database;
  const owned = { owner_id: api.userId, is_test: false };
  const response = 'r'.repeat(4_096);
  const attempt = { at: new Date().toISOString(), duration_ms: 1, status_code: 500, error: 'status 500', response };
  const call = async (path: string) => {
    const { status, body } = await api.call('GET', path);
    t.equal(status, 200, path.replace(/whe_\w+|cursor=.*/, '…'));
    return body;
  };

  const url = 'https://127.0.0.1:9443/';
  const { body } = await api.call('POST', '/v1/webhooks', { body: { url, events: ['*'] } });
  const { id: endpoint_id } = body.data.endpoint;
  const headers = Object.fromEntries(many(30, (n) => [`x-header-${n}`, 'v'.repeat(256)]));
  await db('webhook_deliveries').insert(
    many(200, (sequence) => ({
      id: newId(idPrefixes.webhookDelivery),
      owner_id: api.userId,
      endpoint_id,
      event_id: newId(idPrefixes.event),
      kind: 'monitor.down',
      subject: 'm_1',
      sequence,
      payload: 'full',
      status: 'failed',
      attempts: JSON.stringify(many(10, () => ({ ...attempt, response_headers: headers }))),
      created_at: new Date(),
    })),
  );
  await holdsNobodyUp(t, 'deliveries of webhooks', async () => {
    const { items } = (await call(`/v1/webhooks/${endpoint_id}/deliveries?limit=200`)).data;
    t.same([items.length, items[0].attempts.length, items[0].attempts[0].error], [200, 10, 'status 500']);
  });

  const [{ id: channel_id }] = await db('alert_channels').where({ owner_id: api.userId }).select('id');
  await db('alert_deliveries').insert(
    many(200, () => ({
      id: newId(idPrefixes.alertDelivery),
      ...owned,
      channel_id,
      channel_name: 'Hook',
      type: 'webhook',
      kind: 'firing',
      alert_ids: ['ae_1'],
      alert_count: 1,
      message_group: 'g',
      thread: 't',
      priority: 1,
      title: 'Down',
      text: 'x'.repeat(16_384),
      message: Buffer.alloc(16_384),
      status: 'dead',
      attempts: JSON.stringify(many(20, () => ({ ...attempt, outcome: 'retry' }))),
      tries: 20,
      created_at: new Date(),
      finished_at: new Date(),
    })),
  );
  await holdsNobodyUp(t, 'deliveries of alerts', () => call('/v1/alert-deliveries?limit=200'));
  let [found, path]: [number, string | null] = [0, '/v1/alert-deliveries?limit=200'];
  while (path !== null) {
    const { data, meta } = await call(path);
    t.ok(data.items.length > 0 && data.items.length < 20, `${data.items.length} on a page`);
    found += data.items.length;
    const next = meta.pagination.next_cursor;
    path = next === null ? null : `/v1/alert-deliveries?limit=200&cursor=${next}`;
  }
  t.equal(found, 200, 'pages that end early leave nothing out');

  // as much as a request of 32 KiB can have
  const choice = { type: 'email', channel_id, to: many(13, (n) => `${'person'.repeat(8)}${n}@test.example`) };
  const window = { days, start: '00:00', end: '23:59', timezone: 'America/Argentina/ComodRivadavia' };
  const rule = { match: { severity: [], tags_any: many(30, (n) => `tag ${n}`), time_window: window } };
  await db('alert_policies').insert(
    many(99, (n) => ({
      id: newId(idPrefixes.alertPolicy),
      ...owned,
      created_by: api.userId,
      name: `Policy ${n}`,
      rules: JSON.stringify(
        many(20, () => ({
          ...rule,
          channels: [choice],
          delay_sec: 0,
          repeat: { enabled: true, interval_sec: 300, max_count: 100 },
        })),
      ),
      escalation: '{"steps":[],"repeat":0,"ack_timeout_sec":0}',
      on_recovery: '{"notify":true,"delay_sec":0,"channels":[]}',
      suppression: '{"after_sec":0,"quiet_hours":[],"flapping":"all","no_data_after_sec":0}',
      depends_on: many(20, (dependency) => `m_${dependency}`),
    })),
  );
  const { policies } = controlPlane.services.alerts;
  const [account, page] = [accountOf(api.userId), { limit: 200, offset: 0 }];
  // below the frame, which compares each response with its schema in tests
  await holdsNobodyUp(t, 'policies', async () => {
    await itemsText((await policies.list(account, page)).rows, policyView, signal);
  });
  t.equal((await call('/v1/alert-policies?page_size=100')).data.items.length, 100);

  await db('alert_silences').insert(
    many(200, () => ({
      id: newId(idPrefixes.alertSilence),
      ...owned,
      created_by: api.userId,
      scope_type: 'tag',
      scope_ids: many(200, (tag) => `${'t'.repeat(60)}${tag}`),
      severities: [],
      reason: 'r'.repeat(500),
      starts_at: new Date(),
      ends_at: new Date(Date.now() + HOUR_MS),
    })),
  );
  await holdsNobodyUp(t, 'silences', async () => {
    const { rows } = await alertSilences.store.list(db, account.owner, page, { filter: '', values: {} });
    await itemsText(rows, (row) => silenceView(row, Date.now()), signal);
  });
  t.equal((await call('/v1/alert-silences?page_size=200')).data.items.length, 200);
});
