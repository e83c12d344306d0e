import t from 'tap';
import { partitionName } from '../src/db/partitions.js';
import { openAlertWorld } from './_support/alert-world.js';
import { DeadlySteps } from './_support/deadly-steps.js';
import { type Receiver, startReceiver } from './_support/receiver.js';

// A replica that dies while it handles an event of a monitor.

/** Messages of a receiver, each once: of several with one id the first. */
const distinct = ({ requests }: Receiver) => {
  const byId = new Map(requests.map((request) => [request.headers['webhook-id'], request]));
  return [...byId.values()].map(({ body }) => JSON.parse(body).type);
};

const tables = [
  'alerts',
  'alert_timeline',
  'alert_due',
  'alert_bundles',
  'outbox',
  'alert_deliveries',
  'alert_lanes',
] as const;

for (const table of tables)
  t.test(
    `a replica that dies when it writes ${table} loses no message, and doubles at most one under its id`,
    async (t) => {
      const receiver = await startReceiver(t);
      const world = await openAlertWorld(t);
      const channel = await world.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
      const step = { after_sec: 300, channels: [{ channel_id: channel.id, to: null }], schedule_id: null };
      const monitor = await world.addMonitor('Shop', {
        alert_policy_id: await world.addPolicy([channel], {
          escalation: { steps: [step], repeat: 0, ack_timeout_sec: 0 },
        }),
      });
      await world
        .db('event_subscriptions')
        .insert({ consumer: 'test.kept', kind: 'alert.firing', announced_at: new Date() });
      const deadly = await DeadlySteps.prepare(world.db, tables);
      const dieAndGoOn = async (run: () => Promise<void>) => {
        // of a partitioned table the row is that of a partition
        await deadly.arm(table === 'alert_deliveries' ? partitionName({ name: table }, world.clock.now()) : table);
        await run().catch(() => {});
        world.sender.wake();
        await deadly.waitForDeath();
        await deadly.disarm();
        // an event whose handling failed, or whose lease has to run out, waits by the clock of the database, which no one moves
        await world.db('outbox_marks').update({ due_at: new Date(0) });
        // the lease of the delivery runs out
        await world.passAll(61_000);
      };
      await world.happens('down', [monitor]);
      await dieAndGoOn(() => world.consumers.run());
      // outbox: only changes of the alert are published, and a step of the escalation is none
      world.clock.advance(300_000);
      if (table === 'outbox' || table === 'alert_due') await world.settle();
      else await dieAndGoOn(() => world.watch.run());
      t.same(distinct(receiver), ['alert.firing', 'alert.firing'], 'opened, escalated');
      await world.happens('up', [monitor]);
      await world.passAll(2_000);
      t.same(distinct(receiver), ['alert.firing', 'alert.firing', 'alert.resolved']);
      t.ok(receiver.requests.length <= 5, 'one doubled for each death');
      t.equal((await world.db('alerts')).length, 1);
      t.same(await world.db('outbox_marks').where({ consumer: 'alerts.monitors' }), []);
    },
  );
