import t from 'tap';
import { program } from '../src/audit-log/actor.js';
import { accountOf } from './_support/owners.js';
import { openTimedAlerts } from './_support/timed-alerts.js';

// Which alerts open, how severe they are, who is notified, and how long they are kept.

const timed = await openTimedAlerts(t);
t.beforeEach(() => timed.begin());

const DAY_MS = 86_400_000;

t.test('an alert is as severe as its monitor says, and rules match by that', async (t) => {
  const { world, monitor, rule, choice, to, said, alertOf } = timed;
  const match = { tags_any: [], time_window: null };
  const shop = await monitor('Shop', {
    rules: [
      rule({ match: { ...match, severity: ['info'] }, channels: [choice('a')] }),
      rule({ match: { ...match, severity: ['critical'] }, channels: [choice('b')] }),
    ],
  });
  await world
    .db('monitors')
    .where({ id: shop })
    .update({ alert_severity: { down: 'critical', degraded: 'info' } });
  await world.happens('degraded', [shop]);
  await to(0);
  t.match(await alertOf(shop), { type: 'degraded', severity: 'info' });
  await to(60);
  await world.happens('down', [shop]);
  await to(60);
  t.match(await alertOf(shop), { type: 'down', severity: 'critical' });
  t.same(said(), ['0 firing a', '60 firing b', '60 severity a']);
});

t.test('an alert begins with the event of its monitor, however late it opens', async (t) => {
  const { world, monitor, to, alertOf } = timed;
  const shop = await monitor('Shop');
  const downAt = world.clock.now();
  await world.happens('down', [shop]);
  world.clock.advance(20_000);
  await to(20);
  const { started_at: startedAt, created_at: openedAt } = await alertOf(shop);
  t.same([startedAt, openedAt], [new Date(downAt), new Date(downAt + 20_000)]);
});

t.test(
  'an alert of a policy that its monitor no longer names ends, and its end is sent where its start was',
  async (t) => {
    const { world, monitor, to, said, alertOf } = timed;
    const shop = await monitor('Shop');
    const other = await monitor('Other');
    await world.happens('down', [shop]);
    await to(10);
    const { alert_policy_id } = await world.db('monitors').where({ id: other }).first();
    await world.db('monitors').where({ id: shop }).update({ alert_policy_id });
    await to(20);
    t.same(said(), ['0 firing a', '10 resolved a']);
    t.match(await alertOf(shop), { status: 'resolved', state: { resolution: 'policy_removed' } });
  },
);

t.test(
  'acknowledging an alert leaves the alerts of other policies and the event of the monitor as they are',
  async (t) => {
    const { world, monitor, rule, choice, to, said } = timed;
    const shop = await monitor('Shop');
    const simple = await world.addPolicy([], { rules: [rule({ channels: [choice('b')] })] });
    await world.db('alert_policies').where({ id: simple }).update({ monitor_id: shop });
    await world.happens('down', [shop]);
    await to(10);
    const [first] = await world.db('alerts').whereNot({ policy_id: simple });
    await world.acts.acknowledge(first.id, null, { account: accountOf(world.userId), actor: program });
    await to(20);
    t.same(said(), ['0 firing a', '0 firing b', '10 acknowledged a']);
    t.match(await world.db('alerts').where({ policy_id: simple }), [{ status: 'firing' }]);
    t.same(await world.db('outbox').where({ kind: 'monitor.acknowledged' }), []);
  },
);

t.test('resolved alerts are kept for 400 days, also when their monitors are gone', async (t) => {
  const { world, monitor, to, alertOf } = await openTimedAlerts(t);
  const shop = await monitor('Shop');
  await world.happens('down', [shop]);
  await to(10);
  await world.happens('deleted', [shop]);
  await to(20);
  const { id } = await alertOf(shop);
  const keep = () => Promise.all(world.upkeep.map((task) => task()));
  world.clock.setWall(world.clock.now() + 399 * DAY_MS);
  await keep();
  t.match(await world.acts.get(id, accountOf(world.userId)), {
    row: { monitor_name: 'Shop', state: { resolution: 'deleted' } },
    timeline: [{ what: 'opened' }, { what: 'notified' }, { what: 'resolved' }],
  });
  world.clock.setWall(world.clock.now() + 2 * DAY_MS);
  await keep();
  t.equal(await alertOf(shop), undefined);
  t.same(await world.db('alert_timeline'), []);
});

t.test('a rule that names recipients writes to these alone, and only to those who are verified', async (t) => {
  const { world, monitor, rule, to } = timed;
  const [ada, bob, eve] = ['ada@ops.example', 'bob@ops.example', 'eve@ops.example'];
  const { id } = await world.addChannel('Ops', 'email', { to: [ada, bob, eve] });
  const recipients = world.db('alert_recipients').where({ channel_id: id });
  await recipients.whereNot({ address: eve }).update({ verified_at: new Date() });
  const shop = await monitor('Shop', { rules: [rule({ channels: [{ channel_id: id, to: [ada, eve] }] })] });
  const depot = await monitor('Depot', { rules: [rule({ channels: [{ channel_id: id, to: null }] })] });
  // the codes of the recipients are sent
  await to(0);
  const before = world.mails.length;
  const addressed = (from: number) => world.mails.slice(from).map(({ to: address }) => address);
  await world.happens('down', [shop]);
  await to(10);
  await world.happens('up', [shop]);
  await to(20);
  t.same(addressed(before), [ada, ada]);
  const unsent = await world.db('alert_deliveries').where({ recipient: eve, kind: 'firing' }).first();
  t.match(unsent, { status: 'dropped', reason: 'unverified' });
  await world.happens('down', [depot]);
  await to(30);
  t.same(addressed(before + 2).toSorted(), [ada, bob]);
});

t.test('the database refuses a second open alert of a policy and a monitor', async (t) => {
  const { world, monitor, to, alertOf } = timed;
  const shop = await monitor('Shop');
  await world.happens('down', [shop]);
  await to(0);
  const again = { ...(await alertOf(shop)), id: 'ae_again' };
  const values = { ...again, state: JSON.stringify(Reflect.get(again, 'state')) };
  await t.rejects(world.db('alerts').insert(values), { code: '23505', constraint: 'one_open_alert' });
  await world.db('alerts').insert({ ...values, status: 'resolved' });
});
