import { pino } from 'pino';
import t, { type Test } from 'tap';
import { publish } from '../src/events/index.js';
import { noteUplinkLosses } from '../src/modules/monitors/checks/uplink-losses.js';
import { noDataWatch } from '../src/modules/monitors/judging/no-data-watch.js';
import { presence } from '../src/modules/nodes/presence/presence.js';
import { openAlertWorld } from './_support/alert-world.js';
import { createReusedDatabase } from './_support/database.js';
import { insertMonitor } from './_support/stored-monitor.js';
import { insertNode, insertUser } from './_support/stored-node.js';

const MINUTE_MS = 60_000;
const fresh = await createReusedDatabase(t);

/** A world whose nodes come and go as the modules of nodes and monitors see it. */
async function aWorldOfNodes(t: Test) {
  const world = await openAlertWorld(t, { database: await fresh() });
  const { db, clock, userId } = world;
  const log = pino({ level: 'silent' });
  const nodes = presence({ db, clock, log });
  const noData = noDataWatch({ db, clock, log, maintenance: async () => new Map() });
  return {
    ...world,
    /** Titles of the mails to an owner, oldest first. */
    titles: async (owner = userId): Promise<string[]> =>
      db('alert_deliveries').where({ owner_id: owner, kind: 'notice' }).orderBy('id').pluck('title'),
    addNode: (name: string, owner = userId) => insertNode(db, { name, owner_id: owner, session_id: `ses_${name}` }),
    /** Nodes lose their links, and for a minute have no other. */
    lose: async (ids: readonly string[]) => {
      await nodes.run();
      await db('nodes').whereIn('id', ids).update({ session_id: null });
      await db('nodes')
        .whereIn('id', ids)
        .update({ left_at: new Date(Date.now() - MINUTE_MS - 1_000) });
      await nodes.run();
    },
    link: async (ids: readonly string[]) => {
      await db('nodes').whereIn('id', ids).update({ session_id: 'ses_again' });
      await nodes.run();
    },
    /** A node delivers that its own network was away. */
    reportLoss: (nodeId: string, monitorIds: readonly string[], firstMs: number) =>
      db.transaction((trx) =>
        noteUplinkLosses(
          trx,
          monitorIds.map((id) => ({
            nodeId,
            body: {
              monitor_id: id,
              generation: 1,
              first_slot_ms: firstMs,
              last_slot_ms: firstMs + MINUTE_MS,
              through_ms: firstMs + MINUTE_MS,
              count: 2,
              reason: 'uplink_lost',
            } as never,
          })),
        ),
      ),
    lookForData: () => noData.run(),
    happensToNode: (
      kind: 'node.offline' | 'node.online' | 'node.unhealthy',
      id: string,
      owner = userId,
      since = new Date(clock.now()),
    ) =>
      publish(db, {
        kind,
        ownerId: owner,
        isTest: false,
        subject: id,
        payload: { node: { id, name: id }, reason: null, since: since.toISOString() },
      }),
  };
}

t.test('a node of 200 monitors that loses its uplink causes no alert, and one notice to its owner', async (t) => {
  const world = await aWorldOfNodes(t);
  const { db, userId } = world;
  const node = await world.addNode('Berlin');
  const monitors: string[] = [];
  for (let i = 0; i < 200; i += 1) monitors.push((await insertMonitor(db, [node], { owner_id: userId })).id);
  const lostAt = Date.now() - 10 * MINUTE_MS;
  await db('monitor_states').update({ health: 'unknown', first_check_at: new Date(0), changed_at: new Date(lostAt) });
  await world.lose([node]);
  await world.passAll(29_000);
  t.same(await world.titles(), [], 'other nodes of the owner may follow');
  await world.passAll(2_000);
  t.same(await world.titles(), ['Node offline: Berlin']);
  await world.link([node]);
  await world.reportLoss(node, monitors, Date.now() - 2 * MINUTE_MS);
  await world.lookForData();
  await world.passAll(120_000);
  t.same(await world.titles(), ['Node offline: Berlin'], 'the cause of a notified outage is not notified again');
  t.match(world.mails, [{ to: 'owner@test.example' }]);
  t.same(await db('alerts'), []);
});

t.test('a node that lost its network but kept its link causes one notice, which names the reason', async (t) => {
  const world = await aWorldOfNodes(t);
  const node = await world.addNode('Berlin');
  await world.reportLoss(node, ['m_1'], Date.now() - 2 * MINUTE_MS);
  await world.passAll(31_000);
  t.same(await world.titles(), ['Node unhealthy: Berlin']);
  t.match(await world.db('alert_deliveries').first(), { text: /uplink_lost/ });
});

t.test(
  'nodes of an owner that go offline within 30 s are in one notice, without those that have returned by then',
  async (t) => {
    const world = await aWorldOfNodes(t);
    const other = await insertUser(world.db, { email_verified_at: new Date() });
    const [paris, rome, oslo] = [
      await world.addNode('Paris'),
      await world.addNode('Rome'),
      await world.addNode('Oslo'),
    ];
    const theirs = await world.addNode('Lima', other);
    await world.lose([paris, theirs]);
    await world.passAll(15_000);
    await world.lose([rome, oslo]);
    await world.passAll(5_000);
    await world.link([oslo]);
    await world.passAll(11_000);
    t.same(await world.titles(), ['2 nodes offline']);
    t.match(await world.db('alert_deliveries').where({ owner_id: world.userId }).first(), { text: /Paris, Rome/ });
    t.same(await world.titles(other), ['Node offline: Lima']);
    await world.passAll(60_000);
    t.equal((await world.titles()).length, 1);
  },
);

t.test('a node that goes offline and reports the reason before it is known to be back causes one notice', async (t) => {
  const world = await aWorldOfNodes(t);
  await world.happensToNode('node.offline', 'n_1');
  await world.passAll(25_000);
  await world.happensToNode('node.unhealthy', 'n_1');
  await world.settle();
  await world.happensToNode('node.online', 'n_1');
  await world.passAll(60_000);
  t.same(await world.titles(), ['Node unhealthy: n_1']);
});

t.test('a lost network of a node is not reported in addition to the report that the node is offline', async (t) => {
  const world = await aWorldOfNodes(t);
  await world.happensToNode('node.unhealthy', 'n_1');
  await world.happensToNode('node.unhealthy', 'n_2');
  await world.passAll(20_000);
  await world.happensToNode('node.offline', 'n_1');
  await world.passAll(15_000);
  t.same(await world.titles(), ['Node unhealthy: n_2'], 'another node waits for none of it');
  await world.passAll(20_000);
  t.same(await world.titles(), ['Node unhealthy: n_2', 'Node offline: n_1']);
  await world.passAll(120_000);
  t.equal((await world.titles()).length, 2);
  t.same(await world.db('alert_node_waits').where({ kind: 'node_unhealthy' }), [], 'it waits no longer');
});

t.test('a lost network of a node is reported once it is known that the node is not reported as offline', async (t) => {
  const world = await aWorldOfNodes(t);
  await world.happensToNode('node.unhealthy', 'n_1');
  await world.passAll(20_000);
  await world.happensToNode('node.offline', 'n_1');
  await world.passAll(20_000);
  t.same(await world.titles(), [], 'past its time, behind the other notice');
  await world.happensToNode('node.online', 'n_1');
  await world.passAll(60_000);
  t.same(await world.titles(), ['Node unhealthy: n_1']);
});

t.test('a lost network of a node is reported when the node goes offline later for another reason', async (t) => {
  const world = await aWorldOfNodes(t);
  const minutesAgo = (minutes: number) => new Date(world.clock.now() - minutes * MINUTE_MS);
  await world.happensToNode('node.unhealthy', 'n_1', world.userId, minutesAgo(20));
  await world.happensToNode('node.offline', 'n_1');
  await world.passAll(40_000);
  t.same((await world.titles()).toSorted(), ['Node offline: n_1', 'Node unhealthy: n_1']);
});

t.test('two replicas that report at the same time create one notice', async (t) => {
  const world = await aWorldOfNodes(t);
  const other = world.relayReplica(world.replica(world.clock));
  await world.happensToNode('node.offline', 'n_1');
  await world.happensToNode('node.unhealthy', 'n_2');
  await world.settle();
  world.clock.advance(31_000);
  await Promise.all([world.watch.run(), other.watch.run()]);
  await world.settle();
  t.same((await world.titles()).toSorted(), ['Node offline: n_1', 'Node unhealthy: n_2']);
});

t.test('notices of nodes go to the channels of rules that match warnings', async (t) => {
  const world = await aWorldOfNodes(t);
  const policy = () => world.db('alert_policies').where({ owner_id: world.userId, is_default: true });
  const [rule] = (await policy().first()).rules;
  const only = (severity: string) => JSON.stringify([{ ...rule, match: { ...rule.match, severity: [severity] } }]);
  await policy().update({ rules: only('critical') });
  await world.happensToNode('node.offline', 'n_1');
  await world.passAll(35_000);
  t.same(await world.titles(), []);
  await policy().update({ rules: only('warning') });
  await world.happensToNode('node.offline', 'n_2');
  await world.passAll(35_000);
  t.same(await world.titles(), ['Node offline: n_2']);
});

t.test('notices of nodes go by the default policy, and nowhere if it is disabled', async (t) => {
  const world = await aWorldOfNodes(t);
  await world.db('alert_policies').where({ owner_id: world.userId, is_default: true }).update({ is_enabled: false });
  await world.happensToNode('node.offline', 'n_1');
  await world.passAll(35_000);
  t.same(await world.db('alert_deliveries'), []);
});
