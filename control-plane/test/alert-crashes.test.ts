import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { partitionName } from '../src/db/partitions.js';
import { openAlertWorld } from './_support/alert-world.js';
import { createReusedDatabase } from './_support/database.js';
import { DeadlySteps } from './_support/deadly-steps.js';
import { startReceiver } from './_support/receiver.js';

/** Steps of a sender, by the table that it writes in each, and the copies of the message that are sent if it dies there. */
const senderSteps = [
  { step: 'claims a channel', table: 'alert_lanes', copies: 1 },
  { step: 'claims a message', table: 'alert_deliveries', copies: 1 },
  { step: 'counts a message in its bucket', table: 'alert_buckets', copies: 1 },
  { step: 'records an accepted message', table: 'alert_channels', copies: 2 },
] as const;

const fresh = await createReusedDatabase(t);
const tables = senderSteps.map(({ table }) => table);
const deadly = await DeadlySteps.prepare((await fresh()).db, tables);

for (const { step, table, copies } of senderSteps)
  t.test(`a sender that dies when it ${step} loses nothing, and doubles no message it has not sent`, async (t) => {
    const receiver = await startReceiver(t);
    const world = await openAlertWorld(t, { database: await fresh() });
    const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
    const monitor = await world.addMonitor('Shop', { alert_policy_id: await world.addPolicy([channel]) });
    // its messages wait until a sender is asked to look
    const { consumers } = world.relayReplica(world.replica(world.clock));
    for (const [what, type] of [
      ['down', 'alert.firing'],
      ['up', 'alert.resolved'],
    ] as const) {
      const before = receiver.requests.length;
      await world.happens(what, [monitor]);
      await consumers.run();
      await deadly.arm(table === 'alert_deliveries' ? partitionName({ name: table }, world.clock.now()) : table);
      world.sender.wake();
      await deadly.waitForDeath();
      await deadly.disarm();
      // a lease of the dead runs out
      world.clock.advance(61_000);
      await until('its delivery', async () => {
        world.sender.wake();
        return (await world.db('alert_deliveries').where({ finished_at: null })).length === 0;
      });
      t.same(await world.db('alert_deliveries').distinct('status', 'tries'), [{ status: 'sent', tries: 1 }]);
      const own = receiver.requests.slice(before);
      t.same(
        own.map(({ body }) => JSON.parse(body).type),
        Array.from({ length: copies }, () => type),
      );
      t.equal(new Set(own.map(({ headers }) => headers['webhook-id'])).size, 1, 'under one id');
    }
  });

t.test('the end of an alert is sent, even if the replica that sent its start died before recording it', async (t) => {
  const receiver = await startReceiver(t);
  const world = await openAlertWorld(t, { database: await fresh() });
  const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
  const monitor = await world.addMonitor('Shop', { alert_policy_id: await world.addPolicy([channel]) });
  const { consumers } = world.relayReplica(world.replica(world.clock));
  await world.happens('down', [monitor]);
  await consumers.run();
  await deadly.arm('alert_channels');
  world.sender.wake();
  await deadly.waitForDeath();
  await deadly.disarm();
  await world.happens('up', [monitor]);
  await consumers.run();
  // the lease of the dead runs out
  world.clock.advance(61_000);
  await until('the deliveries', async () => {
    world.sender.wake();
    return (await world.db('alert_deliveries').where({ finished_at: null })).length === 0;
  });
  t.same(
    receiver.requests.map(({ body }) => JSON.parse(body).type),
    ['alert.firing', 'alert.resolved'],
  );
});

t.test('two replicas that handle events and due alerts at the same time create each message once', async (t) => {
  const receiver = await startReceiver(t);
  const world = await openAlertWorld(t, { database: await fresh() });
  const other = world.relayReplica(world.replica(world.clock));
  const channels = [];
  for (let index = 0; index < 5; index += 1)
    channels.push(await world.addChannel(`Hook ${index}`, 'webhook', { url: `${receiver.url}/${index}` }));
  const monitors: string[] = [];
  for (const channel of channels) {
    const choice = { channel_id: channel.id, to: null };
    const escalation = {
      steps: [{ after_sec: 60, channels: [choice], schedule_id: null }],
      repeat: 0,
      ack_timeout_sec: 0,
    };
    monitors.push(
      await world.addMonitor(channel.name, { alert_policy_id: await world.addPolicy([channel], { escalation }) }),
    );
  }
  const both = async () => {
    await Promise.all([world.consumers.run(), other.consumers.run()]);
    await Promise.all([world.watch.run(), other.watch.run()]);
    await world.settle();
  };
  await world.happens('down', monitors);
  await both();
  world.clock.advance(61_000);
  await both();
  await both();
  await world.happens('up', monitors);
  await both();
  for (const index of channels.keys()) {
    const own = receiver.requests.filter(({ path }) => path === `/${index}`).map(({ body }) => JSON.parse(body).type);
    t.same(own, ['alert.firing', 'alert.firing', 'alert.resolved']);
  }
});
