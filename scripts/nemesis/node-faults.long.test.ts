import { statfsSync } from 'node:fs';
import { missing } from '@vantage/shared/_support/missing.js';
import { delay, systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { recordsOf } from '../invariants/history.js';
import { SeededRandom } from '../seeded-random.js';
import { startProvingGround } from './_support/proving-ground.js';
import { type FaultKind, faultKinds, type Heal } from './faults/index.js';
import { SmallDisk } from './small-disk.js';
import { waitFor } from './world.js';

const skip = missing('permission to mount');
/** One for all of them: what a fault leaves behind is there for the next. */
const ground = await startProvingGround(t, { agents: 1, hasSpoolDisks: SmallDisk.isPossible });
const [agent] = ground.world.agents;
const nodeId = agent?.nodeId ?? '';

const KEY = `SELECT encode(public_key, 'hex') AS key, rotation_requested_at IS NOT NULL AS is_asked FROM nodes WHERE id = $1`;

function inflict(kind: FaultKind): Promise<Heal> {
  return kind.aim({ agents: 1, replicas: 2 }, new SeededRandom(1)).inflict(ground.world);
}

t.test('a node that is drained under load finishes what it has and gets work again', async (t) => {
  const { clients, accepts, endWell } = ground;
  await accepts(5);
  const heal = await inflict(faultKinds['agent drained']);
  await waitFor('a refusal', 120_000, () => (clients.counts.refused['NODE_OFFLINE'] ?? 0) > 0);
  await waitFor('what it had to be finished', 240_000, () => clients.counts.waiting === 0);
  t.equal(clients.counts.lost, 0);
  await heal();
  await accepts(5);
  await endWell(t);
});

t.test('a key that is changed while its agent is killed again and again shuts no node out', async (t) => {
  const { world, accepts, endWell } = ground;
  const read = async () => (await world.database.query(KEY, [nodeId]))[0] ?? {};
  const { key: before } = await read();
  for (let round = 1; round <= 4; round++) {
    await accepts(3);
    await inflict(faultKinds['agent given another key']);
    await delay(systemClock, round * 25);
    await agent?.unit.kill();
    agent?.unit.start();
    await waitFor('another key', 240_000, async () => (await read())['is_asked'] === false);
  }
  t.not((await read())['key'], before);
  await accepts(5);
  await endWell(t);
});

t.test('an agent whose disk is full to the last byte continues to deliver', { skip }, async (t) => {
  const { clients, accepts, endWell } = ground;
  await accepts(5);
  const heal = await inflict(faultKinds['agent with a full disk']);
  const disk = agent?.spoolDisk?.folder ?? '';
  t.ok(statfsSync(disk).bavail < 1_000, 'four megabytes are left at most: the room of its ballast');
  const before = clients.counts.results;
  await waitFor('results', 240_000, () => clients.counts.results >= before + 10);
  await heal();
  await accepts(5);
  await endWell(t);
});

t.test('of several agents that use a stolen enrollment token at once, one is admitted', async (t) => {
  const { world, recorder, endWell } = ground;
  const heal = await inflict(faultKinds['enrollment token stolen']);
  const history = { records: recorder.records, secrets: [] };
  t.equal(recordsOf(history, 'token-used').length, 1);
  t.ok(recordsOf(history, 'token-refused').length >= 1);
  await heal();
  t.strictSame(await world.database.query('SELECT id FROM nodes WHERE deleted_at IS NULL'), [{ id: nodeId }]);
  await endWell(t);
});
