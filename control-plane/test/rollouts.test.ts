import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { playFailing } from './_support/failing-rollout.js';
import { order, RolloutWorld } from './_support/rollout-world.js';

t.test(
  'a roll-out to a hundred nodes halts at the tenth failure, whatever dies meanwhile, and asks no node twice',
  (t) => playFailing(t, { nodes: 100, failsEvery: 8 }),
);

t.test('a paused or aborted roll-out requests nothing more, and still shows how running upgrades end', async (t) => {
  const world = await RolloutWorld.open(t, 20);
  const { run } = world.replica(t);
  const { id } = await world.rollouts.create({ ...order, stages: [100], maxFailures: 2 }, commandLine);
  await run();
  t.match((await world.rollouts.get(id)).counts, { requested: 2, waiting: 18 });
  t.match(await world.rollouts.pause(id, commandLine), { state: 'paused' });
  const [first, second] = await world.running();
  if (first === undefined || second === undefined) throw new Error('two run');
  await world.end(first, null);
  await run();
  t.match((await world.rollouts.get(id)).counts, { requested: 1, done: 1, waiting: 18 });
  await t.rejects(world.rollouts.pause(id, commandLine), { code: 'CONFLICT' });
  await world.rollouts.resume(id, commandLine);
  await run();
  t.match((await world.rollouts.get(id)).counts, { requested: 2, done: 1, waiting: 17 });
  t.match(await world.rollouts.abort(id, commandLine), { state: 'aborted', endedAt: Date });
  await world.end(second, 'no room');
  await run();
  t.match((await world.rollouts.get(id)).counts, { requested: 1, done: 1, failed: 1, waiting: 17 });
  for (const act of ['resume', 'abort', 'pause'] as const)
    await t.rejects(world.rollouts[act](id, commandLine), { code: 'CONFLICT' }, act);
});

t.test(
  'nodes without a link wait; banned, deleted and upgraded ones are skipped; another request counts as a failure',
  async (t) => {
    const world = await RolloutWorld.open(t, 6);
    const { db } = world.database;
    const { run } = world.replica(t);
    const ids: string[] = await db('nodes').orderBy('id').pluck('id');
    const set = (index: number, columns: object) => db('nodes').where({ id: ids[index] }).update(columns);
    await set(0, { session_id: null });
    const { id } = await world.rollouts.create({ ...order, stages: [100] }, commandLine);
    await set(1, { banned_at: db.fn.now(), ban_reason: 'spam', session_id: null });
    await set(2, { agent_version: '0.2.0' });
    await run();
    t.match((await world.rollouts.get(id)).counts, { waiting: 1, requested: 3, skipped: 2 });
    await set(3, { upgrade_version: '0.3.0', upgrade_requested_at: db.raw("now() + interval '1 second'") });
    await set(4, { deleted_at: db.fn.now(), session_id: null });
    for (const upgrade of (await world.running()).filter(({ nodeId }) => nodeId === ids[5]))
      await world.end(upgrade, null);
    await run();
    t.match((await world.rollouts.get(id)).counts, { waiting: 1, requested: 0, done: 1, failed: 1, skipped: 3 });
    t.equal((await world.rollouts.get(id)).state, 'running', 'a node without a link is waited for');
    const page = { number: 1, limit: 10, offset: 0 };
    t.match(await world.rollouts.listNodes(id, { ...page, state: 'failed' }), {
      total: 1,
      nodes: [{ nodeId: ids[3], error: 'another version was requested of the node' }],
    });
    await set(0, { session_id: 'back' });
    await run();
    for (const upgrade of (await world.running()).filter(({ nodeId }) => nodeId === ids[0]))
      await world.end(upgrade, null);
    await run();
    t.match(await world.rollouts.get(id), { state: 'done', counts: { done: 2, failed: 1, skipped: 3 } });
  },
);

t.test('the pause between stages is waited for by the clock of the database', async (t) => {
  const world = await RolloutWorld.open(t, 4);
  const { run } = world.replica(t);
  const { id } = await world.rollouts.create({ ...order, stages: [25, 100], pauseS: 3_600 }, commandLine);
  await run();
  for (const upgrade of await world.running()) await world.end(upgrade, null);
  await run();
  t.match(await world.rollouts.get(id), { stage: 0, stageEndedAt: Date, counts: { done: 1, waiting: 3 } });
  await world.database.db('rollouts').update({ stage_ended_at: world.database.db.raw("now() - interval '1 hour'") });
  await run();
  t.match(await world.rollouts.get(id), { stage: 1, stageEndedAt: null, counts: { done: 1, requested: 3 } });
});
