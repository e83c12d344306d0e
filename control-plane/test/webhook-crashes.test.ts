import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { makeDue } from '../src/modules/webhooks/deliveries/delivery-store.js';
import { claimDeliveries, deleteOrphans } from '../src/modules/webhooks/sending/claim-store.js';
import { listSubscribed } from '../src/modules/webhooks/sending/relay-store.js';
import { DeadlySteps } from './_support/deadly-steps.js';
import { lockWaits } from './_support/lock-waits.js';
import { status, WebhookReceiver } from './_support/webhook-receiver.js';
import { WebhookWorld } from './_support/webhook-world.js';

const LEASE_MS = 60_000;
/** An attempt that has no end of its own. */
const endless = (_: unknown, signal?: AbortSignal) =>
  new Promise<never>((__, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
const idsOf = (receiver: WebhookReceiver) => receiver.events.map(({ headers }) => headers['webhook-id']);

const newWorld = await WebhookWorld.oneAfterAnother(t);

t.test('a replica that dies between claiming and sending loses nothing: another sends after the lease', async (t) => {
  const world = await newWorld(t);
  const receiver = await WebhookReceiver.start(t);
  await world.endpoint(receiver.url);
  await world.happens('monitor.down', 'm_1');
  await world.relay.run();
  const dying = world.newSender({ attempts: { make: endless } });
  await dying.run();
  const next = world.newSender();
  world.clock.advance(LEASE_MS - 1);
  await world.settle(next);
  t.equal(receiver.events.length, 0, 'the lease holds');
  world.clock.advance(1);
  await world.settle(next);
  t.equal(receiver.events.length, 1);
  t.match(await world.rows(), [{ status: 'delivered', attempt_count: 1 }]);
});

t.test('a replica whose claim cannot be committed sends nothing', async (t) => {
  const world = await newWorld(t);
  const receiver = await WebhookReceiver.start(t);
  await world.endpoint(receiver.url);
  await world.happens('monitor.down', 'm_1');
  await world.relay.run();
  await world.db.raw(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no commit'; END $$;
    CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON webhook_queues DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION refuse()`);
  const sender = world.newSender();
  await t.rejects(sender.run(), /no commit/);
  await world.db.raw('DROP TRIGGER refuse ON webhook_queues');
  await world.settle(sender);
  t.equal(receiver.events.length, 1);
});

t.test(
  'deliveries that a dead replica left behind are skipped, not sent, if their endpoint was paused meanwhile',
  async (t) => {
    const world = await newWorld(t);
    const receiver = await WebhookReceiver.start(t);
    const { id } = await world.endpoint(receiver.url);
    await world.happens('monitor.down', 'm_1');
    await world.relay.run();
    const dying = world.newSender({ attempts: { make: endless } });
    await dying.run();
    await world.endpoints.change(id, { status: 'paused' }, world.act);
    t.match(await world.rows(), [{ status: 'pending' }], 'it may have been sent');
    world.clock.advance(LEASE_MS);
    await world.settle(world.newSender());
    t.equal(receiver.events.length, 0);
    t.match(await world.rows(), [{ status: 'skipped', due_at: null, finished_at: Date }]);
  },
);

t.test('a result that arrives after its lease has ended is dropped, and does not change the next result', async (t) => {
  const world = await newWorld(t);
  const held: (() => void)[] = [];
  const receiver = await WebhookReceiver.start(t, (_, response) => void held.push(() => response.writeHead(500).end()));
  await world.endpoint(receiver.url);
  await world.happens('monitor.down', 'm_1');
  await world.relay.run();
  // the first replica stands still: its own clock does not move
  const slow = world.newSender();
  await slow.run();
  await until('the first request', () => held.length === 1);
  await world.db('webhook_leases').update({ leased_until: new Date(world.clock.now() - 1) });
  await world.db('webhook_queues').update({ due_at: new Date(world.clock.now()) });
  receiver.reply = status(200);
  await world.settle(world.newSender());
  t.match(await world.rows(), [{ status: 'delivered', attempt_count: 1 }]);
  held[0]?.();
  await slow.idle();
  t.match(await world.rows(), [{ status: 'delivered', attempt_count: 1 }]);
  t.match(await world.db('webhook_queues').first(), { failing_since: null });
});

t.test('what a dead replica had of a deleted endpoint is removed an hour later, and nothing else', async (t) => {
  const world = await newWorld(t);
  const receiver = await WebhookReceiver.start(t);
  const { id } = await world.endpoint(receiver.url);
  await world.happens('monitor.down', 'm_1');
  await world.relay.run();
  await world.newSender({ attempts: { make: endless } }).run();
  await world.endpoints.delete(id, world.act);
  await world.endpoint(receiver.url);
  await world.happens('monitor.down', 'm_2');
  await world.relay.run();
  const countAll = async () => [(await world.db('webhook_leases')).length, (await world.db('webhook_waiting')).length];
  world.clock.advance(LEASE_MS + 3_599_000);
  await deleteOrphans(world.db, world.clock.now());
  t.same(await countAll(), [1, 2]);
  world.clock.advance(2_000);
  await deleteOrphans(world.db, world.clock.now());
  t.same(await countAll(), [0, 1], 'the endpoint that exists keeps its own');
});

t.test(
  'a replica that dies in any step of relay, claim or mark loses no event, and doubles at most one request',
  async (t) => {
    const world = await newWorld(t);
    const receiver = await WebhookReceiver.start(t);
    await world.endpoint(receiver.url);
    const { db } = world;
    const tables = [
      'webhook_events',
      'webhook_deliveries',
      'webhook_waiting',
      'webhook_queues',
      'webhook_leases',
    ] as const;
    const deadly = await DeadlySteps.prepare(db, tables);
    const steps = [
      ['relay', 'webhook_events'],
      ['relay', 'webhook_deliveries'],
      ['relay', 'webhook_waiting'],
      ['relay', 'webhook_queues'],
      ['claim', 'webhook_leases'],
      ['claim', 'webhook_queues'],
      ['mark', 'webhook_leases'],
      ['mark', 'webhook_waiting'],
      ['mark', 'webhook_deliveries'],
      ['mark', 'webhook_queues'],
    ] as const;
    for (const [index, [step, table]] of steps.entries()) {
      const before = receiver.events.length;
      await world.happens('monitor.down', `m_${index}`);
      if (step !== 'relay') await world.relay.run();
      if (step === 'mark') receiver.reply = (_, response) => void deadly.arm(table).then(() => response.end());
      else await deadly.arm(table);
      const dying = world.newSender();
      if (step === 'relay') await world.relay.run().catch(() => {});
      else await dying.run().catch(() => {});
      await deadly.waitForDeath();
      await dying.idle();
      await deadly.disarm();
      receiver.reply = status(200);
      await db('outbox_marks').update({ due_at: new Date(0) });
      world.clock.advance(LEASE_MS);
      await until('the event', async () => {
        await world.settle();
        return (await world.rows().where({ status: 'delivered' })).length === index + 1;
      });
      t.equal(receiver.events.length - before, step === 'mark' ? 2 : 1, `${step}, ${table}`);
    }
    t.equal(new Set(idsOf(receiver)).size, steps.length);
    t.equal((await db('webhook_events')).length, steps.length);
    t.equal((await world.rows()).length, steps.length, 'one delivery of each event');
  },
);

t.test('two replicas send two hundred events of two endpoints once each', async (t) => {
  const world = await newWorld(t);
  const receivers = [await WebhookReceiver.start(t), await WebhookReceiver.start(t)];
  for (const { url } of receivers) await world.endpoint(url);
  await world.db.transaction(async (trx) => {
    for (let n = 0; n < 200; n += 1) await world.happens('monitor.down', `m_${n}`, 'Shop', trx);
  });
  const senders = [world.newSender(), world.newSender()];
  await until('all', async () => {
    await Promise.all([world.relay.run(), ...senders.map((sender) => sender.run())]);
    await Promise.all(senders.map((sender) => sender.idle()));
    return (await world.rows().where({ status: 'delivered' })).length === 400;
  });
  for (const receiver of receivers) {
    t.equal(receiver.events.length, 200);
    t.equal(new Set(idsOf(receiver)).size, 200);
  }
});

t.test('pausing wins over an event that is handed over at the same moment', async (t) => {
  const world = await newWorld(t);
  const receiver = await WebhookReceiver.start(t);
  const { id } = await world.endpoint(receiver.url);
  for (let round = 0; round < 10; round += 1) {
    await world.endpoints.change(id, { status: 'active' }, world.act);
    await world.happens('monitor.down', `m_${round}`);
    await Promise.all([world.relay.run(), world.endpoints.change(id, { status: 'paused' }, world.act)]);
    await world.settle();
  }
  t.equal(receiver.events.length, 0, 'nothing is sent to a paused endpoint');
  t.same(new Set(await world.rows().pluck('status')), new Set(['skipped']));
  t.equal((await world.rows()).length, 10);
});

t.test('an event that is stored while a claim of its endpoint finds nothing is sent after the claim', async (t) => {
  const world = await newWorld(t);
  const receiver = await WebhookReceiver.start(t);
  await world.endpoint(receiver.url);
  const nowMs = world.clock.now();
  await world.db('webhook_queues').update({ due_at: new Date(nowMs) });
  const claiming = await world.db.transaction();
  const places = { endpoints: 1, ofAccount: 1, left: new Map(), busyHosts: [] };
  t.same(
    await claimDeliveries(claiming, {
      nowMs,
      fast: places,
      slow: places,
      known: [],
      heldOf: () => [],
      mostOf: () => 16,
    }),
    [],
  );
  await world.happens('monitor.down', 'm_1');
  const relayed = world.relay.run();
  await until('the relay that waits', async () => (await lockWaits(world.db)) > 0);
  await claiming.commit();
  await relayed;
  await world.settle();
  t.equal(receiver.events.length, 1);
});

t.test('the relay and a mark that disables an endpoint do not deadlock', async (t) => {
  const world = await newWorld(t);
  const receiver = await WebhookReceiver.start(t, status(410));
  const { id } = await world.endpoint(receiver.url);
  await world.happens('monitor.down', 'm_1');
  await world.relay.run();
  const relaying = await world.db.transaction();
  await listSubscribed(relaying, [world.userId]);
  const sender = world.newSender();
  await sender.run();
  await until('the mark that waits', async () => (await lockWaits(world.db)) > 0);
  await makeDue(relaying, [id], new Date(world.clock.now()));
  await relaying.commit();
  await sender.idle();
  t.match(await world.endpoints.get(id, world.act.account), { status: 'disabled', disabled_reason: 'gone' });
});
