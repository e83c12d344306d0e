import { type AlertPolicy, type QuietHours, type Suppression, weekdays } from '@vantage/shared/alerts/policy.js';
import t, { type Test } from 'tap';
import { type AlertWorld, openAlertWorld } from './_support/alert-world.js';
import { startReceiver } from './_support/receiver.js';

// What holds messages back, from the event of a monitor to the receiver.

const MINUTE_MS = 60_000;
const none: Suppression = {
  after_sec: 0,
  quiet_hours: [],
  flapping: 'notice',
  depends_on: [],
  no_data_after_sec: 0,
};

const world = await openAlertWorld(t);

/** A world whose channel gets kind and title of each message; `notified` lists them. */
async function held(t: Test) {
  const receiver = await startReceiver(t);
  await world.clear();
  const config = { url: `${receiver.url}/`, body: '{{kind}} {{title}}' };
  const channel = await world.addChannel('Hook', 'webhook', config);
  const notified = () => receiver.requests.map(({ body }) => body);
  const policy = (suppression: Partial<Suppression>, parts: Partial<AlertPolicy> = {}) =>
    world.addPolicy([channel], { ...parts, suppression: { ...none, ...suppression } });
  const holds = async (monitor: string) => {
    const alert = await world.db('alerts').where({ monitor_id: monitor }).whereNot({ status: 'resolved' }).first();
    return alert?.state.heldBy ?? null;
  };
  return { world, receiver, channel, notified, policy, holds };
}

/** Quiet hours of every day that have begun, and last this long. */
function quietFor(world: AlertWorld, ms: number, action: QuietHours['action']): QuietHours {
  const timeAt = (atMs: number) => new Date(atMs).toISOString().slice(11, 16);
  const now = world.clock.now();
  return {
    days: [...weekdays],
    start: timeAt(now - 60 * MINUTE_MS),
    end: timeAt(now + ms),
    timezone: 'UTC',
    below: 'critical',
    action,
  };
}

t.test(
  'quiet hours hold alerts that are not critical, and those that still fire at their end are one digest',
  async (t) => {
    const { world, notified, policy, holds } = await held(t);
    const alert_policy_id = await policy({ quiet_hours: [quietFor(world, 10 * MINUTE_MS, 'hold')] });
    const add = (name: string) => world.addMonitor(name, { alert_policy_id });
    const monitors = await Promise.all(['Berlin', 'Paris', 'Rome', 'Oslo'].map(add));
    const [berlin = '', paris = '', rome = '', oslo = ''] = monitors;
    await world.happens('degraded', [berlin, paris, rome]);
    await world.happens('down', [oslo]);
    await world.passAll(2 * MINUTE_MS);
    t.same(notified(), ['firing Down: Oslo'], 'a critical one at once');
    t.same(await holds(berlin), ['quiet_hours']);
    await world.happens('up', [rome]);
    await world.passAll(10 * MINUTE_MS);
    t.equal(notified().length, 2);
    t.match(notified()[1], /^digest .*2/, 'two of three: the third one recovered');
    await world.happens('up', [berlin, paris, oslo]);
    await world.passAll(6 * MINUTE_MS);
    t.match(notified().slice(2), ['resolved Up again: Oslo', /^digest .*/]);
    t.equal(notified().length, 4, 'no one is notified of the end of an alert without notifications');
  },
);

t.test('quiet hours that drop messages send none of them, neither then nor later, and record this', async (t) => {
  const { world, notified, policy } = await held(t);
  const alert_policy_id = await policy({ quiet_hours: [quietFor(world, 5 * MINUTE_MS, 'drop')] });
  const monitor = await world.addMonitor('Shop', { alert_policy_id });
  await world.happens('degraded', [monitor]);
  await world.passAll(10 * MINUTE_MS);
  await world.happens('up', [monitor]);
  await world.passAll(MINUTE_MS);
  t.same(notified(), []);
  t.match(JSON.stringify(await world.db('alert_timeline')), /quiet_hours/);
  await world.happens('degraded', [monitor]);
  await world.settle();
  t.same(notified(), ['firing Degraded: Shop'], 'outside of them as ever');
});

t.test(
  'while a monitor is down, alerts of monitors that depend on it are held, and sent if they outlast it',
  async (t) => {
    const { world, notified, policy, holds } = await held(t);
    const router = await world.addMonitor('Router');
    const alert_policy_id = await policy({ depends_on: [router] });
    await world.db('monitors').where({ id: router }).update({ alert_policy_id });
    const add = (name: string) => world.addMonitor(name, { alert_policy_id });
    const [shop = '', depot = '', attic = ''] = await Promise.all(['Shop', 'Depot', 'Attic'].map(add));
    // the router is found down some seconds after what is behind it
    await world.happens('down', [shop, depot]);
    await world.passAll(20_000);
    t.same(notified(), [], 'no one is notified before the router had its time to be found');
    await world.happens('down', [router]);
    await world.passAll(5 * MINUTE_MS);
    t.same(notified(), ['firing Down: Router']);
    t.same(await holds(shop), ['dependency']);
    await world.happens('up', [shop]);
    await world.happens('up', [router]);
    await world.passAll(MINUTE_MS);
    t.same(notified().toSorted(), ['firing Down: Depot', 'firing Down: Router', 'resolved Up again: Router']);
    await world.happens('down', [attic]);
    await world.passAll(40_000);
    t.equal(notified()[3], 'firing Down: Attic', 'the router is up: after its time to be found');
  },
);

t.test('50 monitors that depend on one that is down cause one message', async (t) => {
  const { world, notified, policy } = await held(t);
  const router = await world.addMonitor('Router');
  const alert_policy_id = await policy({ depends_on: [router] });
  await world.db('monitors').where({ id: router }).update({ alert_policy_id });
  const hosts = await world.addMonitors(
    Array.from({ length: 50 }, (_, index) => ({ name: `Host ${index}`, alert_policy_id })),
  );
  await world.happens('down', [...hosts, router]);
  await world.passAll(6 * MINUTE_MS);
  await world.happens('up', [...hosts, router]);
  await world.passAll(6 * MINUTE_MS);
  t.same(notified(), ['firing Down: Router', 'resolved Up again: Router']);
  t.equal((await world.db('alerts')).length, 51);
});

t.test('a message that a later silence drops on its way is sent at the end of the silence', async (t) => {
  const { world, receiver, policy } = await held(t);
  const monitor = await world.addMonitor('Shop', { alert_policy_id: await policy({}) });
  const taken: string[] = [];
  let isAway = true;
  receiver.reply = ({ body }) => {
    if (!isAway) taken.push(body);
    return { status: isAway ? 500 : 200 };
  };
  await world.addSilence(5 * MINUTE_MS, { inMs: MINUTE_MS });
  await world.happens('down', [monitor]);
  await world.passAll(3 * MINUTE_MS);
  t.match(await world.db('alert_deliveries'), [{ status: 'dropped', reason: 'silenced' }]);
  isAway = false;
  await world.passAll(2 * MINUTE_MS);
  t.same(taken, [], 'it lasts');
  await world.passAll(2 * MINUTE_MS);
  t.same(taken, ['firing Down: Shop']);
});

t.test(
  'an event of a monitor at the end of a silence does not lose messages that the silence dropped on their way',
  async (t) => {
    const { world, receiver, notified, policy } = await held(t);
    const monitor = await world.addMonitor('Shop', { alert_policy_id: await policy({}) });
    receiver.reply = () => ({ status: 500 });
    await world.happens('down', [monitor]);
    await world.settle();
    await world.addSilence(2 * MINUTE_MS);
    await world.passAll(MINUTE_MS);
    t.match(await world.db('alert_deliveries'), [{ status: 'dropped', reason: 'silenced' }]);
    receiver.reply = () => ({ status: 200 });
    const before = notified().length;
    // it is over, and no one has looked yet
    world.clock.advance(2 * MINUTE_MS);
    await world.happens('degraded', [monitor]);
    await world.passAll(2_000);
    t.same(notified().slice(before), ['firing Degraded: Shop']);
  },
);

t.test('a silence of a tag that a monitor no longer has drops none of its messages on their way', async (t) => {
  const { world, receiver, notified, policy } = await held(t);
  const monitor = await world.addMonitor('Shop', { alert_policy_id: await policy({}), tags: ['eu'] });
  receiver.reply = () => ({ status: 500 });
  await world.happens('down', [monitor]);
  await world.settle();
  await world
    .db('monitors')
    .where({ id: monitor })
    .update({ tags: ['us'] });
  await world.settle();
  await world.addSilence(10 * MINUTE_MS, { tag: 'eu' });
  receiver.reply = () => ({ status: 200 });
  const before = notified().length;
  await world.passAll(MINUTE_MS);
  t.same(notified().slice(before), ['firing Down: Shop']);
});
