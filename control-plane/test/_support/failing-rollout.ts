import type { Test } from 'tap';
import { commandLine } from '../../src/audit-log/actor.js';
import { order, RolloutWorld } from './rollout-world.js';
import { seededRandom } from './seeded-random.js';

interface Failing {
  readonly nodes: number;
  /** Number of upgrades of which the last one fails. */
  readonly failsEvery: number;
}

/** Plays a roll-out over three replicas that die again and again: it halts at the tenth failure, and ends after it is resumed. */
export async function playFailing(t: Test, { nodes, failsEvery }: Failing): Promise<void> {
  const world = await RolloutWorld.open(t, nodes);
  const random = seededRandom(21);
  const { id } = await world.rollouts.create(order, commandLine);
  let replicas = [world.replica(t), world.replica(t), world.replica(t)];
  let [attempt, most, round] = [0, 0, 0];
  for (; round < 2_000; round++) {
    const turns = replicas.map(({ run }) => run().catch(() => {}));
    if (round % 10 === 5) {
      // every replica dies in the middle of what it does, and others start
      await Promise.all(replicas.map(({ kill }) => kill()));
      replicas = [world.replica(t), world.replica(t), world.replica(t)];
    }
    await Promise.all(turns);
    const { state, counts } = await world.rollouts.get(id);
    const running = await world.running();
    most = Math.max(most, counts.failed + running.length);
    if (state !== 'running' && running.length === 0) break;
    const ending = running.filter(() => random() < 0.6);
    for (const upgrade of ending)
      await world.end(upgrade, attempt++ % failsEvery === failsEvery - 1 ? 'no room' : null);
  }
  const { state, counts, stage } = await world.rollouts.get(id);
  t.match({ state, stage, failed: counts.failed }, { state: 'halted', stage: 2, failed: 10 });
  t.equal(attempt, 10 * failsEvery, 'nothing was begun after the tenth failure');
  t.equal(counts.done + counts.failed + counts.waiting, nodes);
  t.ok(most <= 10, 'at no time could more than ten have failed');
  const requests = await world.requests();
  t.equal(requests.size, attempt);
  t.ok(
    [...requests.values()].every((count) => count === 1),
    'no node twice',
  );
  const acts = await world.database.db('audit_log').where({ subject: id }).orderBy('id').pluck('action');
  t.same(acts, ['rollout.created', 'rollout.halted'], 'each once');

  await world.rollouts.resume(id, commandLine);
  const [replica] = replicas;
  for (let rest = 0; rest < 200 && (await world.rollouts.get(id)).state === 'running'; rest++) {
    await replica?.run();
    for (const upgrade of await world.running()) await world.end(upgrade, null);
  }
  t.match(await world.rollouts.get(id), { state: 'done', counts: { done: nodes - 10, failed: 10, waiting: 0 } });
  t.equal((await world.requests()).size, nodes);
}
