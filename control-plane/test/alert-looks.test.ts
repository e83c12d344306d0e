import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { queueAlertsOf } from '../src/modules/alerts/events/due-store.js';
import { openAlertWorld } from './_support/alert-world.js';
import { startReceiver } from './_support/receiver.js';

// Alerts are looked at when their marks are committed, and when something is due without a new event.

/** A world whose watch runs, with a channel that gets kind and title of each message; `notified` lists them. */
async function watched(t: Test) {
  const receiver = await startReceiver(t);
  const world = await openAlertWorld(t);
  const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/`, body: '{{kind}} {{title}}' });
  t.teardown(() => world.watch.stop());
  world.watch.start();
  return { world, channel, notified: () => receiver.requests.map(({ body }) => body) };
}

t.test('an alert that a commit makes due is looked at at once, without the sweep of each second', async (t) => {
  const { world, channel, notified } = await watched(t);
  const policy = await world.addPolicy([channel]);
  const monitor = await world.addMonitor('Shop', { alert_policy_id: policy });
  await world.happens('down', [monitor]);
  await world.consumers.run();
  await until('the first message', () => notified().length === 1);
  // the clock stands still, so that no sweep comes
  await world.db.transaction(async (trx) => {
    await trx('alert_policies').where({ id: policy }).update({ is_enabled: false });
    await queueAlertsOf(trx, [world.userId]);
  });
  await until('the message about the end', () => notified().length === 2);
  t.same(notified(), ['firing Down: Shop', 'resolved Alert policy no longer applies: Shop']);
});

t.test('an alert that waits for another monitor is sent as soon as that one is up', async (t) => {
  const { world, channel, notified } = await watched(t);
  const router = await world.addMonitor('Router', { notifies_owner: false });
  const alert_policy_id = await world.addPolicy([channel], {
    suppression: { after_sec: 0, quiet_hours: [], flapping: 'notice', no_data_after_sec: 0, depends_on: [router] },
  });
  const shop = await world.addMonitor('Shop', { alert_policy_id });
  await world.happens('down', [router, shop]);
  await world.consumers.run();
  // the time in which the router may be found down passes, with a sweep each second
  for (let second = 0; second < 40; second += 1) world.clock.advance(1_000);
  await until('the looks', async () => (await world.db('alert_due')).length === 0);
  t.same(notified(), []);
  await world.happens('up', [router]);
  await world.consumers.run();
  await until('the message', () => notified().length === 1);
  t.same(notified(), ['firing Down: Shop']);
});

t.test('an alert that is due without a notification is handled by the next sweep', async (t) => {
  const { world, channel, notified } = await watched(t);
  const policy = await world.addPolicy([channel]);
  const monitor = await world.addMonitor('Shop', { alert_policy_id: policy });
  await world.happens('down', [monitor]);
  await world.consumers.run();
  await until('the first message', () => notified().length === 1);
  await world.db('alert_policies').where({ id: policy }).update({ is_enabled: false });
  await world.db.raw('INSERT INTO alert_due (alert_id) SELECT id FROM alerts');
  world.clock.advance(1_000);
  await until('the message about the end', () => notified().length === 2);
  t.same(notified(), ['firing Down: Shop', 'resolved Alert policy no longer applies: Shop']);
});
