import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { DeadlySteps } from './_support/deadly-steps.js';
import { JudgedMonitor, startJudging } from './_support/judged-monitor.js';
import { startReplica } from './_support/stack.js';
import { aCheck, insertMonitor, store } from './_support/stored-monitor.js';
import { insertNode } from './_support/stored-node.js';

const stack = await startJudging(t);
const { api, database, db, lookUntil } = stack;

t.test('results that are too old decide nothing, and an open event is held until there are new ones', async (t) => {
  const one = await JudgedMonitor.create(t, stack);
  await one.says('failed');
  // its next result was due five minutes ago: the node is behind
  await db('node_progress')
    .where({ node_id: one.node.nodeId })
    .update({ complete_through: new Date(Date.now() - 300_000) });
  await one.becomes('unknown');
  t.match(await one.events(), [{ type: 'down', ended_at: null }]);
  await one.says('ok');
  t.match(await one.events(), [{ type: 'down', ended_at: String }]);
});

t.test(
  'a node without a link votes for half a minute more, and its earlier results count again when it is back',
  async (t) => {
    const one = await JudgedMonitor.create(t, stack);
    const { identity, peer } = one.node;
    const stored = db('nodes').where({ id: identity.nodeId });
    await one.says('ok');
    peer.cut();
    await until('the node to be gone', async () => (await stored.clone().first()).session_id === null);
    t.equal(await one.status(), 'up');
    const due = await one.rows('monitor_due').orderBy('id', 'desc').first();
    const { left_at: leftAt } = await stored.clone().first();
    t.ok(due.due_at.getTime() >= leftAt.getTime() + 30_000, 'a judgment is requested when its time is over');
    await stored.clone().update({ left_at: new Date(Date.now() - 31_000) });
    await one.rows('monitor_due').update({ due_at: new Date(0) });
    await one.becomes('unknown');
    await CheckingNode.link(t, api.url, identity, { epoch: peer.epoch });
    await one.becomes('up');
  },
);

t.test('a node whose own clock or network failed its test does not vote', async (t) => {
  const one = await JudgedMonitor.create(t, stack);
  await one.says('failed');
  const checks = [{ name: 'clock', status: 'failed', detail: 'off by a minute' }];
  one.node.peer.send({
    heartbeat: { sequence: 1, transmitMs: Date.now(), selfTest: { finishedAtMs: Date.now(), checks } },
  });
  await one.becomes('unknown');
});

t.test('a node that catches up between two polls of the nodes’ delays votes again', async (t) => {
  const one = await JudgedMonitor.create(t, stack);
  const { id, node } = one;
  // the polls see nothing here: the delays that they would notice are never written
  await db.raw(`CREATE FUNCTION look_away() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    CREATE TRIGGER look_away BEFORE UPDATE OF lag_class ON node_progress FOR EACH ROW
    WHEN (NEW.node_id = '${node.nodeId}') EXECUTE FUNCTION look_away()`);
  const now = Date.now();
  // its first report says that a probe of half an hour ago still runs, the next one that none does
  node.check(id, { outcome: 'ok', slot_ms: now, through_ms: now - 1_800_000 });
  await until('its state', async () => (await one.rows('monitor_node_states')).length === 1);
  await one.isJudged();
  node.check(id, { outcome: 'ok', slot_ms: now + 1, state: { verdict: 'ok', since_ms: now, streak: 2 } });
  await one.becomes('up');
});

t.test('when a node catches up, exactly the monitors whose results became new enough are due', async (t) => {
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
  const one = await JudgedMonitor.create(t, stack);
  const now = Date.now();
  one.node.check(one.id, { outcome: 'ok', slot_ms: now });
  await one.becomes('up');
  one.node.check(one.id, { outcome: 'failed', slot_ms: now - 50_000 });
  const { key } = await db('monitors').where({ id: one.id }).first();
  await until('it is stored', async () => (await db('monitor_checks').where({ monitor_key: key })).length === 2);
  await one.isJudged();
  t.equal(await one.status(), 'up');
  t.same(await one.events(), []);
});

t.test('when two replicas judge the same monitors at once, one writes, and events alternate', async (t) => {
  const one = await JudgedMonitor.create(t, stack);
  const clock = new FakeClock(Date.now(), { rounds: ['judging'] });
  await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url }, clock);
  const base = Date.now();
  for (let i = 0; i < 20; i += 1) {
    one.node.check(one.id, { outcome: i % 2 === 0 ? 'failed' : 'ok', slot_ms: base + i });
    // for more than one reason
    await one.rows('monitor_due').insert([{ monitor_id: one.id }, { monitor_id: one.id }]);
    await Promise.all([one.isJudged(), clock.sweep()]);
  }
  await one.becomes('up');
  const all = await one.events();
  t.ok(all.length <= 10);
  t.ok(all.every(({ ended_at }) => ended_at !== null));
  const kinds = await one.publishedEvents().pluck('kind');
  t.same(
    kinds,
    kinds.map((_: string, index: number) => (index % 2 === 0 ? 'monitor.down' : 'monitor.up')),
  );
});

t.test('a second open event of a monitor cannot be written by any writer', async (t) => {
  const { id } = await insertMonitor(db, []);
  const open = (ended_at: Date | null) => {
    const event = { id: newId(idPrefixes.monitorEvent), monitor_id: id, type: 'down', affected_nodes: [], ended_at };
    return db('monitor_events').insert({ ...event, started_at: new Date(0) });
  };
  await open(null);
  await t.rejects(open(null), /one_open_event/);
  await open(new Date(1));
  t.equal((await db('monitor_events').where({ monitor_id: id })).length, 2);
});

t.test(
  'a replica that dies at any step of a judgment leaves nothing behind, and the next judgment creates one event',
  async (t) => {
    const one = await JudgedMonitor.create(t, stack);
    const alerts = (): Promise<{ status: string }[]> => one.rows('alerts').select('status');
    const steps = ['monitor_states', 'monitor_events', 'outbox', 'outbox_marks'];
    const deadly = await DeadlySteps.prepare(db, steps);
    for (const [index, step] of steps.entries()) {
      await one.says('ok');
      // alerts write to the outbox too: nothing must be left when that is fatal
      await lookUntil('the end of its alert', async () =>
        (await alerts()).every(({ status }) => status === 'resolved'),
      );
      await deadly.arm(step);
      one.node.check(one.id, 'failed');
      await deadly.waitForDeath();
      t.equal((await one.events()).length, index, step);
      t.equal((await one.publishedEvents()).length, 2 * index, step);
      await deadly.disarm();
      await one.becomes('down');
      t.equal((await one.events()).length, index + 1, step);
      await lookUntil('its alert', async () => (await alerts()).length === index + 1);
    }
  },
);
