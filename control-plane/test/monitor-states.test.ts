import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { createTestDatabase } from './_support/database.js';
import { DeadlySteps } from './_support/deadly-steps.js';
import { keepEvents, monitorNews } from './_support/kept-events.js';
import { type Stack, type StackSettings, startReplica, startStack } from './_support/stack.js';
import { aCheck, insertMonitor, store } from './_support/stored-monitor.js';
import { insertNode } from './_support/stored-node.js';

interface Watched extends Stack {
  readonly id: string;
  readonly node: CheckingNode;
  status(): Promise<string>;
  becomes(status: string): Promise<void>;
  events(): Promise<{ type: string; ended_at: string | null; started_at: string }[]>;
}

/** A control plane with one node and one monitor, checked every ten seconds. */
async function watch(test: typeof t, settings: StackSettings = {}): Promise<Watched> {
  const stack = await startStack(test, settings, systemClock);
  await keepEvents(stack.database.db);
  const { api } = stack;
  const node = await CheckingNode.join(test, api);
  const body = { name: 'Shop', type: 'tcp', target: '127.0.0.1:9', interval_s: 10 };
  const { id } = (await api.call('POST', '/v1/monitors', { body })).body.data;
  await node.waitForAssignment(id);
  const status = async () => (await api.call('GET', `/v1/monitors/${id}`)).body.data.current_status;
  return {
    ...stack,
    id,
    node,
    status,
    becomes: (wanted) => until(wanted, async () => (await status()) === wanted),
    events: async () => (await api.call('GET', `/v1/monitors/${id}/events`)).body.data.items,
  };
}

t.test('results that are too old decide nothing, and an open event is held until there are new ones', async (t) => {
  const { id, node, becomes, events, database } = await watch(t as never);
  node.check(id, 'failed');
  await becomes('down');
  // its next result was due two minutes ago: the node is behind
  await database.db('node_progress').update({ complete_through: new Date(Date.now() - 120_000) });
  await becomes('unknown');
  t.match(await events(), [{ type: 'down', ended_at: null }]);
  node.check(id, 'ok');
  await becomes('up');
  t.match(await events(), [{ type: 'down', ended_at: String }]);
});

t.test(
  'a node without a link votes for half a minute more, and its earlier results count again when it is back',
  async (t) => {
    const { id, node, becomes, status, database, api } = await watch(t as never);
    node.check(id, 'ok');
    await becomes('up');
    node.peer.cut();
    await until(
      'the node to be gone',
      async () => (await database.db('nodes').where({ session_id: null })).length === 1,
    );
    t.equal(await status(), 'up');
    const [due] = await database.db('monitor_due').orderBy('id', 'desc');
    const [{ left_at: leftAt }] = await database.db('nodes');
    t.ok(due.due_at.getTime() >= leftAt.getTime() + 30_000, 'a judgment is requested when its time is over');
    await database.db('nodes').update({ left_at: new Date(Date.now() - 31_000) });
    await database.db('monitor_due').update({ due_at: new Date(0) });
    await becomes('unknown');
    await CheckingNode.link(t, api.url, node.identity, { epoch: node.peer.epoch });
    await becomes('up');
  },
);

t.test('a node whose own clock or network failed its test does not vote', async (t) => {
  const { id, node, becomes } = await watch(t as never);
  node.check(id, 'failed');
  await becomes('down');
  const checks = [{ name: 'clock', status: 'failed', detail: 'off by a minute' }];
  node.peer.send({
    heartbeat: { sequence: 1, transmitMs: Date.now(), selfTest: { finishedAtMs: Date.now(), checks } },
  });
  await becomes('unknown');
});

t.test('a node that catches up between two polls of the nodes’ delays votes again', async (t) => {
  const { id, node, becomes, database } = await watch(t as never);
  // the polls see nothing here: the delays that they would notice are never written
  await database.db.raw(`CREATE FUNCTION look_away() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    CREATE TRIGGER look_away BEFORE UPDATE OF lag_class ON node_progress FOR EACH ROW EXECUTE FUNCTION look_away()`);
  const now = Date.now();
  // its first report says that a probe of half an hour ago still runs, the next one that none does
  node.check(id, { outcome: 'ok', slot_ms: now, through_ms: now - 1_800_000 });
  await until('its state', async () => (await database.db('monitor_node_states')).length === 1);
  await until('nothing is due', async () => (await database.db('monitor_due')).length === 0);
  node.check(id, { outcome: 'ok', slot_ms: now + 1, state: { verdict: 'ok', since_ms: now, streak: 2 } });
  await becomes('up');
});

t.test('when a node catches up, exactly the monitors whose results became new enough are due', async (t) => {
  const { db } = await createTestDatabase(t);
  const nodeId = await insertNode(db);
  const now = Date.now();
  const ids: string[] = [];
  for (const interval_s of [10, 60, 1_800]) ids.push((await insertMonitor(db, [nodeId], { interval_s })).id);
  const [quick, usual] = ids as [string, string];
  const slow = ids[2] as string;
  const due = async (through_ms: number) => {
    const state = { verdict: 'ok', since_ms: now - 9_000_000, streak: 1 } as const;
    return (await store(db, [aCheck(quick, nodeId, { slot_ms: through_ms, through_ms, state })])).sort();
  };
  t.same(await due(now - 3_700_000), [quick], 'it has a state');
  t.same(await due(now - 3_000_000), [slow], 'new enough for half an hour');
  t.same(await due(now - 150_000), [usual], 'for a minute');
  t.same(await due(now), [quick]);
  t.same(await due(now + 15_000), []);
});

t.test('late results are history: they open no event and change no present state', async (t) => {
  const { id, node, becomes, status, events, database } = await watch(t as never);
  const now = Date.now();
  node.check(id, { outcome: 'ok', slot_ms: now });
  await becomes('up');
  node.check(id, { outcome: 'failed', slot_ms: now - 50_000 });
  await until('it is stored', async () => (await database.db('monitor_checks')).length === 2);
  await until('nothing is due', async () => (await database.db('monitor_due')).length === 0);
  t.equal(await status(), 'up');
  t.same(await events(), []);
});

t.test('when two replicas judge the same monitors at once, one writes, and events alternate', async (t) => {
  const { id, node, api, database, becomes, events } = await watch(t as never);
  await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url });
  const base = Date.now();
  for (let i = 0; i < 40; i += 1) {
    node.check(id, { outcome: i % 2 === 0 ? 'failed' : 'ok', slot_ms: base + i });
    // both are woken by the queue, for more than one reason
    await database.db('monitor_due').insert([{ monitor_id: id }, { monitor_id: id }]);
    await until('it is judged', async () => (await database.db('monitor_due')).length === 0);
  }
  await becomes('up');
  const all = await events();
  t.ok(all.length <= 20);
  t.ok(all.every(({ ended_at }) => ended_at !== null));
  const kinds = await monitorNews(database.db).pluck('kind');
  t.same(
    kinds,
    kinds.map((_, index) => (index % 2 === 0 ? 'monitor.down' : 'monitor.up')),
  );
});

t.test(
  'a replica that dies at any step of a judgment leaves nothing behind, and the next judgment creates one event',
  async (t) => {
    const { id, node, database, becomes, events } = await watch(t as never);
    const { db } = database;
    const alerts = (): Promise<{ status: string }[]> => db('alerts').select('status');
    const steps = ['monitor_states', 'monitor_events', 'outbox', 'outbox_marks'];
    const deadly = await DeadlySteps.prepare(db, steps);
    for (const [index, step] of steps.entries()) {
      node.check(id, 'ok');
      await becomes('up');
      // alerts write to the outbox too: nothing must be left when that is fatal
      await until('the end of its alert', async () => (await alerts()).every(({ status }) => status === 'resolved'));
      await deadly.arm(step);
      node.check(id, 'failed');
      await deadly.waitForDeath();
      t.equal((await events()).length, index, step);
      t.equal((await monitorNews(db)).length, 2 * index, step);
      await deadly.disarm();
      await becomes('down');
      t.equal((await events()).length, index + 1, step);
      await until('its alert', async () => (await alerts()).length === index + 1);
    }
  },
);

t.test('a second open event of a monitor cannot be written by any writer', async (t) => {
  const { db } = await createTestDatabase(t);
  const { id } = await insertMonitor(db, []);
  const open = (ended_at: Date | null) => {
    const event = { id: newId(idPrefixes.monitorEvent), monitor_id: id, type: 'down', affected_nodes: [], ended_at };
    return db('monitor_events').insert({ ...event, started_at: new Date(0) });
  };
  await open(null);
  await t.rejects(open(null), /one_open_event/);
  await open(new Date(1));
  t.equal((await db('monitor_events')).length, 2);
});
