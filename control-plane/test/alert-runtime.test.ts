import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { program } from '../src/audit-log/actor.js';
import { dropPartitions, ensurePartitions } from '../src/db/partitions.js';
import { alertRevocation } from '../src/modules/alerts/alert-release.js';
import { queueAlertsOf } from '../src/modules/alerts/events/due-store.js';
import { alertSilences } from '../src/modules/alerts/silences/alert-silences.js';
import { openAlertWorld } from './_support/alert-world.js';
import { accountOf } from './_support/owners.js';
import { startReceiver } from './_support/receiver.js';

const typesOf = (requests: readonly { body: string }[]) => requests.map(({ body }) => JSON.parse(body).type);

const world = await openAlertWorld(t);
t.beforeEach(() => world.clear());

t.test('a monitor that goes down and is up again makes two messages with the same alert', async (t) => {
  const receiver = await startReceiver(t);
  const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
  const policy = await world.addPolicy([channel]);
  const monitor = await world.addMonitor('Shop', { alert_policy_id: policy, tags: ['eu'] });
  await world.happens('down', [monitor]);
  await world.settle();
  t.same(typesOf(receiver.requests), ['alert.firing']);
  const [alert] = await world.db('alerts');
  t.match(alert, { status: 'firing', type: 'down', severity: 'critical', policy_id: policy, monitor_name: 'Shop' });
  t.match(JSON.parse(receiver.requests[0]?.body ?? ''), {
    id: receiver.requests[0]?.headers['webhook-id'],
    version: 1,
    sequence: 1,
    test: false,
    data: {
      alert: {
        id: alert.id,
        status: 'firing',
        metadata: {
          severity: 'critical',
          notified: true,
          reason: '2 of 3 nodes: tcp_refused',
          affected_nodes: ['n_1'],
        },
      },
      monitor: { id: monitor, name: 'Shop', tags: ['eu'] },
      policy: { id: policy },
    },
  });
  world.clock.advance(60_000);
  await world.happens('up', [monitor]);
  await world.settle();
  t.same(typesOf(receiver.requests), ['alert.firing', 'alert.resolved']);
  t.match(JSON.parse(receiver.requests[1]?.body ?? ''), {
    sequence: 2,
    data: { alert: { id: alert.id, status: 'resolved', metadata: { resolution: 'recovered' } } },
  });
  t.same(await world.db('alert_timeline').orderBy('id').pluck('what'), ['opened', 'notified', 'resolved']);
});

t.test('a receiver that fails for ten minutes gets a lasting alert once, and of a short one nothing', async (t) => {
  const receiver = await startReceiver(t);
  const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
  const alert_policy_id = await world.addPolicy([channel]);
  const lasting = await world.addMonitor('Lasting', { alert_policy_id });
  const short = await world.addMonitor('Short', { alert_policy_id });
  const taken: string[] = [];
  let isAway = true;
  receiver.reply = ({ body }) => {
    const { type, data } = JSON.parse(body);
    if (!isAway) taken.push(`${type} ${data.monitor.name}`);
    return { status: isAway ? 500 : 200 };
  };
  await world.happens('down', [short, lasting]);
  await world.passAll(240_000);
  await world.happens('up', [short]);
  await world.passAll(360_000);
  isAway = false;
  await world.passAll(900_000);
  t.same(taken, ['alert.firing Lasting']);
  await world.happens('up', [lasting]);
  await world.passAll(20_000);
  t.same(taken, ['alert.firing Lasting', 'alert.resolved Lasting']);
  const dropped = await world.db('alert_deliveries').where({ status: 'dropped' }).orderBy('id').pluck('reason');
  t.same(dropped, ['recovered_before_sent', 'not_needed']);
});

t.test('of an alert whose message may have arrived the end is sent', async (t) => {
  const receiver = await startReceiver(t);
  const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
  const monitor = await world.addMonitor('Shop', { alert_policy_id: await world.addPolicy([channel]) });
  receiver.reply = () => null;
  await world.happens('down', [monitor]);
  await world.consumers.run();
  world.sender.wake();
  await until('the request', () => receiver.requests.length === 1);
  world.clock.advance(11_000);
  await until('the time-out', async () => (await world.db('alert_deliveries').first()).may_have_arrived);
  receiver.reply = () => ({ status: 200 });
  await world.happens('up', [monitor]);
  await world.passAll(30_000);
  t.same(typesOf(receiver.requests), ['alert.firing', 'alert.resolved']);
});

t.test(
  'a silence during the recovery does not hold the end of a sent alert, and alerts that still fire when it ends are sent then',
  async (t) => {
    const receiver = await startReceiver(t);
    const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
    const alert_policy_id = await world.addPolicy([channel]);
    const notified = await world.addMonitor('Notified', { alert_policy_id });
    const quiet = await world.addMonitor('Quiet', { alert_policy_id });
    const brief = await world.addMonitor('Brief', { alert_policy_id });
    await world.happens('down', [notified]);
    await world.settle();
    await world.addSilence(600_000);
    await world.happens('down', [quiet, brief]);
    await world.passAll(60_000);
    await world.happens('up', [notified, brief]);
    await world.passAll(60_000);
    const names = () =>
      receiver.requests.map(({ body }) => [JSON.parse(body).type, JSON.parse(body).data.monitor.name].join(' '));
    t.same(names(), ['alert.firing Notified', 'alert.resolved Notified']);
    const [held] = await world.db('alerts').where({ monitor_id: quiet });
    t.same(held.state.heldBy, ['silence']);
    await world.passAll(490_000);
    t.same(names().slice(2), ['alert.firing Quiet']);
  },
);

t.test('a message that a silence drops on its way is sent when the silence is over', async (t) => {
  const receiver = await startReceiver(t);
  const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
  const alert_policy_id = await world.addPolicy([channel]);
  const monitor = await world.addMonitor('Shop', { alert_policy_id });
  receiver.reply = () => ({ status: 500 });
  await world.happens('down', [monitor]);
  await world.settle();
  await world.addSilence(120_000);
  await world.passAll(30_000);
  t.match(await world.db('alert_deliveries'), [{ status: 'dropped', reason: 'silenced' }]);
  receiver.reply = () => ({ status: 200 });
  const before = receiver.requests.length;
  await world.passAll(100_000);
  t.same(typesOf(receiver.requests.slice(before)), ['alert.firing']);
  await world.happens('up', [monitor]);
  await world.settle();
  t.same(typesOf(receiver.requests.slice(before)), ['alert.firing', 'alert.resolved']);
});

t.test('a silence applies at once in every replica, and in none as soon as it is deleted', async (t) => {
  const receiver = await startReceiver(t);
  const other = world.relayReplica(world.replica(world.clock));
  const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
  const alert_policy_id = await world.addPolicy([channel]);
  const act = { account: accountOf(world.userId), actor: program };
  const downAtOther = async (name: string) => {
    const monitor = await world.addMonitor(name, { alert_policy_id });
    await world.happens('down', [monitor]);
    await other.consumers.run();
    return (await world.db('alerts').where({ monitor_id: monitor }).first()).state.heldBy;
  };
  t.same(await downAtOther('Before'), []);
  const silenced = { reason: 'Work', duration_sec: 600 };
  await world.db.transaction((trx) => alertSilences.create(trx, silenced, act, world.clock.now()));
  t.same(await downAtOther('Within'), ['silence']);
  await world.db.transaction((trx) => alertSilences.revokeOf(trx, world.userId, { actor: program, reason: 'test' }));
  t.same(await downAtOther('After'), []);
});

t.test('what a silence held is looked at when the account is recovered, which ends the silence', async (t) => {
  const monitor = await world.addMonitor('Shop');
  await world.addSilence(86_400_000);
  await world.happens('down', [monitor]);
  await world.settle();
  t.match(await world.db('alerts'), [{ state: { heldBy: ['silence'] } }]);
  await world.db.transaction((trx) =>
    alertRevocation.revoke(trx, world.userId, { actor: program, reason: 'account_recovered', nowMs: 0 }),
  );
  await world.settle();
  t.match(await world.db('alerts'), [{ state: { heldBy: [] } }]);
  t.match(world.mails, [{ to: 'owner@test.example' }]);
});

t.test('every channel that got an alert gets its end, however it ends', async (t) => {
  const receiver = await startReceiver(t);
  const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
  const act = { account: accountOf(world.userId), actor: program };
  const ends: Readonly<Record<string, (monitor: string, policy: string, alert: string) => Promise<unknown>>> = {
    paused: (monitor) => world.happens('paused', [monitor]),
    archived: (monitor) => world.happens('archived', [monitor]),
    deleted: (monitor) => world.happens('deleted', [monitor]),
    policy_removed: async (_monitor, policy) => {
      await world.db('alert_policies').where({ id: policy }).update({ is_enabled: false });
      await queueAlertsOf(world.db, [world.userId]);
    },
    person: (_monitor, _policy, alert) => world.acts.resolve(alert, act),
  };
  for (const [resolution, end] of Object.entries(ends)) {
    const policy = await world.addPolicy([channel]);
    const monitor = await world.addMonitor(resolution, { alert_policy_id: policy });
    const before = receiver.requests.length;
    await world.happens('down', [monitor]);
    await world.settle();
    const { id } = await world.db('alerts').where({ monitor_id: monitor }).first();
    await end(monitor, policy, id);
    await world.settle();
    t.match(
      receiver.requests.slice(before).map(({ body }) => JSON.parse(body).data.alert),
      [{ status: 'firing' }, { status: 'resolved', metadata: { resolution } }],
      resolution,
    );
    world.clock.advance(120_000);
  }
});

t.test('the end of an alert that outlasts the log of messages is sent', async (t) => {
  const receiver = await startReceiver(t);
  const world = await openAlertWorld(t);
  const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
  const monitor = await world.addMonitor('Shop', { alert_policy_id: await world.addPolicy([channel]) });
  await world.happens('down', [monitor]);
  await world.settle();
  world.clock.setWall(world.clock.now() + 95 * 86_400_000);
  world.clock.advance(1_000);
  await ensurePartitions(world.db, world.clock.now());
  await dropPartitions(world.db, world.clock.now());
  t.same(await world.db('alert_deliveries'), []);
  await world.happens('up', [monitor]);
  await world.settle();
  t.same(typesOf(receiver.requests), ['alert.firing', 'alert.resolved']);
});

t.test('after a person has resolved an alert its policy opens no other until the monitor was up', async (t) => {
  const receiver = await startReceiver(t);
  const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
  const monitor = await world.addMonitor('Shop', { alert_policy_id: await world.addPolicy([channel]) });
  const act = { account: accountOf(world.userId), actor: program };
  await world.happens('degraded', [monitor]);
  await world.settle();
  const { id } = await world.db('alerts').first();
  t.match(await world.acts.resolve(id, act), { status: 'resolved' });
  t.match(await world.acts.resolve(id, act), { status: 'resolved', changes: 2 }, 'again: nothing changes');
  await world.happens('down', [monitor]);
  await world.settle();
  t.equal((await world.db('alerts')).length, 1);
  world.clock.advance(1);
  await world.happens('up', [monitor]);
  await world.happens('down', [monitor]);
  await world.settle();
  t.match(await world.db('alerts').orderBy('created_at'), [{ awaits_up: false }, { status: 'firing' }]);
});

t.test(
  'a monitor that flaps makes one notice when it begins and one when it has settled, and none between',
  async (t) => {
    const receiver = await startReceiver(t);
    const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/`, body: '{{kind}} {{title}}' });
    const alert_policy_id = await world.addPolicy([channel]);
    const monitor = await world.addMonitor('Shop', { alert_policy_id });
    await world.happens('flapping', [monitor]);
    for (const what of ['down', 'up', 'down', 'up'] as const) {
      await world.happens(what, [monitor]);
      await world.settle();
    }
    await world.happens('settled', [monitor]);
    await world.settle();
    t.same(
      receiver.requests.map(({ body }) => body),
      ['notice Flapping: Shop', 'notice Settled: Shop'],
    );
  },
);

t.test('a notice about a monitor links to the page of its last alert', async (t) => {
  const receiver = await startReceiver(t);
  const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/`, body: '{{kind}} {{link}}' });
  const monitor = await world.addMonitor('Shop', { alert_policy_id: await world.addPolicy([channel]) });
  await world.happens('down', [monitor]);
  await world.settle();
  await world.happens('flapping', [monitor]);
  await world.settle();
  const notice = receiver.requests.map(({ body }) => body).find((body) => body.startsWith('notice'));
  const { id } = await world.db('alerts').where({ monitor_id: monitor }).first();
  t.match(notice, `https://vantage.example/a/${id}.`);
});

t.test('an address that got a message in place of its channels gets the end, and no other message', async (t) => {
  const receiver = await startReceiver(t);
  receiver.reply = () => ({ status: 500 });
  const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
  const monitor = await world.addMonitor('Shop', { alert_policy_id: await world.addPolicy([channel]) });
  await world.happens('down', [monitor]);
  await world.passAll(180_000);
  t.equal(world.mails.length, 1);
  await world.happens('up', [monitor]);
  await world.passAll(900_000);
  t.match(world.mails, [{ to: 'owner@test.example' }, { to: 'owner@test.example' }]);
  t.match(JSON.stringify(world.mails[1]?.content), /Up again/);
  const hook = await world.db('alert_deliveries').where({ channel_id: channel.id }).orderBy('id').pluck('reason');
  t.same(hook, ['recovered_before_sent', 'not_needed']);
});

t.test('an address that got a message in place of a channel that a silence then holds gets the end', async (t) => {
  const receiver = await startReceiver(t);
  receiver.reply = () => ({ status: 500 });
  const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
  const monitor = await world.addMonitor('Shop', { alert_policy_id: await world.addPolicy([channel]) });
  await world.happens('down', [monitor]);
  await world.passAll(180_000);
  await world.addSilence(3_600_000);
  await world.passAll(600_000);
  const hook = () => world.db('alert_deliveries').where({ channel_id: channel.id }).pluck('reason');
  t.same(await hook(), ['silenced']);
  await world.happens('degraded', [monitor]);
  await world.passAll(2_000);
  await world.happens('up', [monitor]);
  await world.passAll(10_000);
  t.equal(world.mails.length, 2);
  t.match(JSON.stringify(world.mails[1]?.content), /Up again/);
  t.same(await hook(), ['silenced'], 'and the channel, which knows nothing, is not');
});

t.test(
  '300 monitors that go down at once, and come up again, make six messages each way, in few statements',
  async (t) => {
    const receiver = await startReceiver(t);
    const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
    const alert_policy_id = await world.addPolicy([channel]);
    const monitors = await world.addMonitors(
      Array.from({ length: 300 }, (_, index) => ({ name: `Shop ${index}`, alert_policy_id })),
    );
    const statements = new Map<string, number>();
    world.db.on('query', ({ __knexTxId: transaction }: { __knexTxId?: string }) => {
      if (transaction !== undefined) statements.set(transaction, (statements.get(transaction) ?? 0) + 1);
    });
    t.teardown(() => world.db.removeAllListeners('query'));
    const most = () => Math.max(...statements.values());
    const notified = () =>
      receiver.requests.map(({ body }) => JSON.parse(body)).map(({ type, data }) => [type, data.count ?? 1]);
    await world.happens('down', monitors);
    statements.clear();
    await world.consumers.run();
    t.ok(most() <= 30, `${most()} statements in a transaction`);
    await world.passAll(330_000);
    t.same(notified(), [...Array.from({ length: 5 }, () => ['alert.firing', 1]), ['alert.firing', 295]]);
    t.equal((await world.db('alerts').where({ status: 'firing' })).length, 300);
    await world.happens('up', monitors);
    statements.clear();
    await world.consumers.run();
    t.ok(most() <= 30, `${most()} statements in a transaction`);
    await world.passAll(330_000);
    const ends = notified().slice(6);
    t.equal(
      ends.reduce((sum, [, count]) => sum + Number(count), 0),
      300,
      'each end once',
    );
    t.ok(ends.length <= 8, `${ends.length} messages`);
    t.same(await world.db('alert_told'), []);
    t.same(await world.db('alert_due'), []);
  },
);

t.test('alerts of a group are sent together, after its wait, and its end is sent once', async (t) => {
  const receiver = await startReceiver(t);
  const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
  const alert_policy_id = await world.addPolicy([channel]);
  await world.db('alert_groups').insert({
    id: 'agr_1',
    owner_id: world.userId,
    created_by: world.userId,
    is_test: false,
    name: 'EU',
    group_by: 'tag',
    group_value: 'eu',
    wait_seconds: 30,
    interval_seconds: 300,
  });
  const eu = [
    await world.addMonitor('Berlin', { alert_policy_id, tags: ['eu'] }),
    await world.addMonitor('Paris', { alert_policy_id, tags: ['eu'] }),
  ];
  const brief = await world.addMonitor('Brief', { alert_policy_id, tags: ['eu'] });
  await world.happens('down', [...eu, brief]);
  await world.happens('up', [brief]);
  await world.passAll(29_000);
  t.same(receiver.requests, []);
  await world.passAll(2_000);
  const bodies = () => receiver.requests.map(({ body }) => JSON.parse(body));
  t.match(bodies(), [{ type: 'alert.firing', data: { group: { id: 'agr_1', name: 'EU' }, count: 2 } }]);
  t.same([...new Set(await world.db('alerts').whereIn('monitor_id', eu).pluck('group_key'))], ['agr_1']);
  await world.happens('up', eu);
  await world.passAll(330_000);
  t.match(bodies(), [{}, { type: 'alert.resolved', data: { count: 2 } }]);
  t.same(await world.db('alert_told'), []);
});

t.test(
  'a monitor without data makes an alert of each policy after the time of that policy, unless data comes',
  async (t) => {
    const receiver = await startReceiver(t);
    const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
    const after = (seconds: number) => ({
      suppression: {
        after_sec: 0,
        quiet_hours: [],
        flapping: 'notice' as const,
        no_data_after_sec: seconds,
        depends_on: [],
      },
    });
    const policies = [await world.addPolicy([channel], after(300)), await world.addPolicy([channel], after(7_200))];
    const never = await world.addPolicy([channel], after(0));
    const [first, second] = await Promise.all(
      ['First', 'Second'].map((name) => world.addMonitor(name, { alert_policy_id: policies[0] })),
    );
    const monitors = [first, second] as string[];
    await world.db('alert_policies').where({ id: policies[1] }).update({ monitor_id: first });
    await world.db('alert_policies').where({ id: never }).update({ monitor_id: second });
    await world.happens('without data', monitors);
    await world.settle();
    const open = () => world.db('alerts').whereNot({ status: 'resolved' }).orderBy('created_at');
    t.match(await open(), [
      { policy_id: policies[0], type: 'no_data', severity: 'warning' },
      { policy_id: policies[0] },
    ]);
    world.clock.advance(6_899_000);
    await world.settle();
    t.equal((await open()).length, 2, 'not before its time');
    world.clock.advance(1_000);
    await world.settle();
    t.match((await open())[2], { policy_id: policies[1], monitor_id: first, type: 'no_data' });
    t.equal((await open()).length, 3);
    await world.happens('with data', monitors);
    await world.settle();
    t.same(await open(), []);
    await world.happens('without data', monitors);
    await world.settle();
    await world.happens('with data', monitors);
    world.clock.advance(7_200_000);
    await world.settle();
    t.equal((await world.db('alerts')).length, 5, 'data came before the later time');
  },
);
