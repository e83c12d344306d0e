import { until } from '@vantage/shared/_support/until.js';
import type { Registry } from 'prom-client';
import t, { type Test } from 'tap';
import { program } from '../src/audit-log/actor.js';
import { openAlertWorld } from './_support/alert-world.js';
import { type Receiver, type ReceiverReply, startReceiver } from './_support/receiver.js';

const digestsBy = async (registry: Registry) => {
  const metric = await registry.getSingleMetric('vantage_alert_digests_total')?.get();
  return Object.fromEntries(metric?.values.map(({ labels, value }) => [labels['cause'], value]) ?? []);
};

const cleared = await openAlertWorld(t);

/** A world with a channel of which the sixth message within a minute joins a digest, and monitors of its policy. */
async function aStorm(t: Test, monitors: number, fields: object = {}) {
  const receiver = await startReceiver(t);
  const world = cleared;
  await world.clear();
  const body = '{{kind}}|{{count}}|{{acknowledge_url}}|{{monitor_url}}|{{title}} {{text}}';
  const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/`, body }, fields);
  const alert_policy_id = await world.addPolicy([channel]);
  const shops = Array.from({ length: monitors }, (_, index) => ({ name: `Shop ${index}`, alert_policy_id }));
  const ids = monitors === 0 ? [] : await world.addMonitors(shops);
  const received = () =>
    receiver.requests.map(({ body: text }) => {
      const [kind, count, url = '', page = '', ...rest] = text.split('|');
      const tokenOf = (address: string) => address.slice(address.lastIndexOf('/') + 1);
      return { kind, count: Number(count || 1), token: tokenOf(url), page: tokenOf(page), text: rest.join('|') };
    });
  return { ...world, receiver, channel, monitors: ids, received };
}

t.test(
  'the link of a digest acknowledges all its alerts that fire, including those that it does not name',
  async (t) => {
    const world = await aStorm(t, 131);
    const { db, links, monitors, received } = world;
    const [late, ended, ...early] = monitors as [string, string, ...string[]];
    await world.happens('down', [...early, ended]);
    await world.passAll(31_000);
    await world.happens('up', [ended]);
    await world.happens('down', [late]);
    await world.settle();
    const digest = received().find(({ kind }) => kind === 'digest');
    t.match(digest, { count: 125 });
    t.match(await db('alert_deliveries').where({ kind: 'digest' }).first(), {
      alert_count: 125,
      alert_ids: { length: 100 },
    });
    const count = async (status: string) => (await db('alerts').where({ status })).length;
    const token = digest?.token ?? '';
    const shown = await links.find(token);
    t.match(shown, { kind: 'digest', alerts: { length: 125 } });
    t.equal(await count('acknowledged'), 0, 'a visit changes nothing');
    await links.acknowledge(token, { note: null, actor: program });
    const notified =
      125 - (shown?.kind === 'digest' && shown.alerts.some(({ monitor_id: id }) => id === ended) ? 1 : 0);
    t.equal(await count('acknowledged'), notified);
    t.match(await db('alerts').where({ monitor_id: late }).first(), { status: 'firing' }, 'it came later');
    t.match(await db('audit_log').where({ action: 'alert_event.acknowledged' }), [
      { details: { alerts: notified, by: 'channel:Hook' } },
    ]);
    await links.acknowledge(token, { note: null, actor: program });
    t.equal((await db('audit_log').where({ action: 'alert_event.acknowledged' })).length, 1, 'again: nothing changes');
  },
);

t.test('a digest of more than a hundred alerts is not sent once all of them have ended', async (t) => {
  const { receiver, ...world } = await aStorm(t, 130);
  await world.happens('down', world.monitors);
  await world.settle();
  receiver.reply = () => ({ status: 500 });
  await world.passAll(40_000);
  await world.happens('up', world.monitors);
  await world.settle();
  receiver.reply = () => ({ status: 200 });
  await world.passAll(400_000);
  t.match(await world.db('alert_deliveries').where({ kind: 'digest' }).orderBy('id').first(), {
    alert_count: 125,
    status: 'dropped',
    reason: 'recovered_before_sent',
  });
});

t.test('a digest of more than a hundred alerts of which the last one fires is sent', async (t) => {
  const { receiver, ...world } = await aStorm(t, 130);
  await world.happens('down', world.monitors);
  await world.settle();
  receiver.reply = () => ({ status: 500 });
  await world.passAll(40_000);
  const { alert_ids: named } = await world.db('alert_deliveries').where({ kind: 'digest' }).first();
  await world.happens('up', await world.db('alerts').whereIn('id', named).pluck('monitor_id'));
  receiver.reply = () => ({ status: 200 });
  await world.passAll(60_000);
  t.match(await world.db('alert_deliveries').where({ kind: 'digest' }).first(), { status: 'sent' });
});

t.test('an alert that is silenced while it waits for a digest is sent when the silence is over', async (t) => {
  const world = await aStorm(t, 8);
  const [quiet] = world.monitors.slice(-1) as [string];
  await world.happens('down', world.monitors);
  await world.settle();
  await world.addSilence(120_000, { monitorId: quiet });
  await world.passAll(60_000);
  const digests = () => world.received().filter(({ kind }) => kind === 'digest');
  t.match(digests(), [{ count: 2 }]);
  t.notMatch(digests()[0]?.text, /Shop 7/, 'it is not named as firing');
  await world.passAll(400_000);
  t.match(digests()[1], { text: /Shop 7/ });
  await world.happens('up', world.monitors);
  await world.passAll(700_000);
  t.same(await world.db('alert_told'), []);
  t.equal((await world.db('alerts').where({ status: 'resolved' })).length, 8);
});

t.test('an alert that ends during the silence that kept it out of a digest is never sent', async (t) => {
  const world = await aStorm(t, 8);
  const [quiet] = world.monitors.slice(-1) as [string];
  await world.happens('down', world.monitors);
  await world.settle();
  await world.addSilence(120_000, { monitorId: quiet });
  await world.passAll(60_000);
  await world.happens('up', [quiet]);
  await world.passAll(700_000);
  t.notOk(world.received().some(({ text }) => text.includes('Shop 7')));
});

t.test('a digest does not report the end of an alert whose start was never delivered', async (t) => {
  const world = await aStorm(t, 8);
  const [silenced, notified, ...others] = world.monitors as [string, string, ...string[]];
  world.receiver.reply = () => ({ status: 500 });
  await world.happens('down', [silenced, notified]);
  await world.passAll(2_000);
  // the message about the first one fails until its alert is over; that about the second one arrives
  world.receiver.reply = ({ body }) => ({ status: body.includes('Shop 0') ? 500 : 200 });
  await world.passAll(20_000);
  await world.happens('up', [silenced, notified]);
  await world.happens('down', others);
  await world.passAll(2_000);
  world.receiver.reply = () => ({ status: 200 });
  const before = world.received().length;
  await world.passAll(40_000);
  const digests = world.received().filter(({ kind }) => kind === 'digest');
  t.equal(digests.length, 1);
  t.match(digests[0]?.text, /Shop 1/, 'the end of the notified alert');
  const texts = world
    .received()
    .slice(before)
    .map(({ text }) => text);
  t.same(
    texts.filter((text) => text.includes('Shop 0')),
    [],
    'and not of what was not',
  );
});

t.test('a digest waits for an attempt at the start of an alert that it reports as over', async (t) => {
  for (const status of [500, 200]) {
    const world = await aStorm(t, 8);
    const { clock, consumers, db, receiver, sender, watch } = world;
    const [late] = world.monitors as [string];
    const failing: Receiver['reply'] = ({ body }) => ({ status: body.includes('Shop 0') ? 500 : 200 });
    receiver.reply = failing;
    await world.happens('down', world.monitors);
    await world.settle();
    const { due_at: dueAt } = await db('alert_bundles').whereNotNull('due_at').first();
    clock.advance(dueAt.getTime() - clock.now() - 5_000);
    await world.quiet();
    let reply: (reply: ReceiverReply) => void = () => {};
    const answered = new Promise<ReceiverReply>((resolve) => {
      reply = resolve;
    });
    receiver.reply = (request) => (request.body.includes('Shop 0') ? answered : failing(request));
    const before = receiver.requests.length;
    const now = new Date(clock.now());
    await db('alert_deliveries').where({ status: 'retrying' }).update({ next_attempt_at: now });
    await db('alert_lanes').update({ due_at: now });
    sender.wake();
    await until('the attempt', () => receiver.requests.length > before);
    await world.happens('up', [late]);
    await consumers.run();
    clock.advance(5_000);
    await watch.run();
    t.same(await db('alert_deliveries').where({ kind: 'digest' }), [], 'it is not made meanwhile');
    receiver.reply = () => ({ status: 200 });
    reply({ status });
    await world.quiet();
    await world.passAll(40_000);
    const about = world.received().filter(({ kind, text }) => kind === 'digest' && text.includes('Shop 0'));
    t.equal(about.length, status === 200 ? 1 : 0, `the attempt got ${status}`);
  }
});

t.test('messages that the limits of a channel keep waiting are joined, and none is lost', async (t) => {
  const world = await aStorm(t, 4, { max_per_minute: 1 });
  const [first, ...others] = world.monitors as [string, ...string[]];
  await world.happens('down', [first]);
  await world.passAll(2_000);
  for (const monitor of others) {
    await world.happens('down', [monitor]);
    await world.passAll(2_000);
  }
  await world.passAll(70_000);
  t.match(world.received(), [{ kind: 'firing' }, { kind: 'digest', count: 3 }]);
  t.same(await digestsBy(world.alertRegistry), { rate: 1 });
  await world.happens('up', world.monitors);
  await world.passAll(500_000);
  const ends = world.received().slice(2);
  t.equal(
    ends.reduce((sum, { count }) => sum + count, 0),
    4,
  );
  t.same(await world.db('alert_told'), []);
});

t.test('messages of one moment beyond the limits of a channel are joined', async (t) => {
  const world = await aStorm(t, 4, { max_per_minute: 2 });
  await world.happens('down', world.monitors);
  await world.passAll(70_000);
  t.match(world.received(), [{ kind: 'firing' }, { kind: 'firing' }, { kind: 'digest', count: 2 }]);
});

t.test('alerts that still fire at the end of quiet hours are one message, however few they are', async (t) => {
  const world = await aStorm(t, 0);
  const minutes = (ms: number) => new Date(world.clock.now() + ms).toISOString().slice(11, 16);
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
  const quiet = { days, start: minutes(-3_600_000), end: minutes(120_000), timezone: 'UTC' } as const;
  const alert_policy_id = await world.addPolicy([world.channel], {
    suppression: {
      after_sec: 0,
      quiet_hours: [{ ...quiet, below: 'critical', action: 'hold' }],
      flapping: 'notice',
      no_data_after_sec: 900,
      depends_on: [],
    },
  });
  const monitors = [await world.addMonitor('A', { alert_policy_id }), await world.addMonitor('B', { alert_policy_id })];
  await world.happens('degraded', monitors);
  await world.passAll(30_000);
  t.same(world.received(), []);
  await world.passAll(180_000);
  t.match(world.received(), [{ kind: 'digest', count: 2 }]);
  t.same(await digestsBy(world.alertRegistry), { quiet_hours: 1 });
});

t.test('a digest about ends links to a page that names the monitors', async (t) => {
  const world = await aStorm(t, 8);
  await world.happens('down', world.monitors);
  await world.passAll(31_000);
  await world.happens('up', world.monitors);
  await world.passAll(300_000);
  const digests = await world.db('alert_deliveries').where({ kind: 'digest' }).orderBy('id');
  t.equal(digests.length, 2);
  const [, end] = world.received().filter(({ kind }) => kind === 'digest');
  t.match(end, { token: '', text: /resolved/ });
  const shown = await world.links.find(end?.page ?? '');
  t.equal(shown?.kind, 'digest');
  t.ok(shown?.kind === 'digest' && shown.alerts.every(({ status }) => status === 'resolved'));
});

t.test('a digest has the ids of each alert, and sequences that rise, also when the clock is set back', async (t) => {
  const receiver = await startReceiver(t);
  const world = cleared;
  await world.clear();
  const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
  const alert_policy_id = await world.addPolicy([channel]);
  const names = Array.from({ length: 7 }, (_, index) => `Shop ${index}`);
  const ids = await world.addMonitors(names.map((name) => ({ name, alert_policy_id })));
  const digests = () =>
    receiver.requests.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.kind === 'digest');
  await world.happens('down', ids);
  await world.passAll(31_000);
  const [first] = digests();
  t.match(first, { type: 'alert.firing', data: { kind: 'digest', count: 2, alerts: { length: 2 } } });
  for (const alert of first.data.alerts) {
    const row = await world.db('alerts').where({ id: alert.id }).first();
    t.match(alert, {
      monitor: { id: row.monitor_id, name: row.monitor_name },
      policy: { id: alert_policy_id, name: row.policy_name },
      sequence: row.changes,
    });
  }
  const setBack = (world.clock.now() + 86_400_000).toString();
  await world.db.raw(`UPDATE alert_bundles SET state = jsonb_set(state, '{sequence}', ?::jsonb)`, [setBack]);
  await world.happens('up', ids);
  await world.passAll(300_000);
  const [, second] = digests();
  t.equal(second.sequence, Number(setBack) + 1);
  for (const alert of second.data.alerts) {
    const before = first.data.alerts.find(({ id }: { readonly id: string }) => id === alert.id);
    t.ok(alert.sequence > (before?.sequence ?? 0), 'the sequence of each alert');
  }
});

t.test('an alert names the storm of the channel that its last message joined', async (t) => {
  const world = await aStorm(t, 6);
  await world.happens('down', world.monitors);
  await world.settle();
  const keys = await world.db('alerts').orderBy('group_key').pluck('group_key');
  t.same(keys, [`storm:${world.channel.id}`, null, null, null, null, null]);
  const events = await world.db('outbox').where({ kind: 'alert.firing' }).pluck('payload');
  t.same(events.map(({ alert }) => alert.metadata.group_key).filter(Boolean), [`storm:${world.channel.id}`]);
});
