import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { SeededRandom } from '../../seeded-random.js';
import { Clients } from '../clients.js';
import { Recorder } from '../recorder.js';
import { startTargets, type Targets } from '../targets.js';
import { judge } from '../verdict.js';
import { allOnline, buildWorld, type CleanUps, type World, type WorldOptions, waitFor } from '../world.js';

/** Within which all nodes have to be back, after the last mend. */
const BACK_WITHIN_MS = 120_000;
/** Longest wait for anything, on a machine however busy. */
const PATIENCE_MS = 240_000;

/** A whole Vantage under load, for one fault after another. */
export interface ProvingGround {
  readonly world: World;
  readonly targets: Targets;
  readonly clients: Clients;
  readonly recorder: Recorder;
  /** Waits until so many more requests were accepted than when this was called. */
  accepts(count: number): Promise<void>;
  /** Sends no further requests until all is quiet, fails `t` for every breach since the start, and continues. */
  endWell(t: Test): Promise<void>;
}

type GroundOptions = Partial<
  Pick<WorldOptions, 'agents' | 'replicas' | 'hasSpoolDisks' | 'databaseSettings' | 'databaseDirectory'>
>;

/** Starts it with people who request five probes a second; ended with `t`, its directory removed. */
export async function startProvingGround(t: Test, options: GroundOptions = {}): Promise<ProvingGround> {
  const directory = mkdtempSync(join(tmpdir(), 'vantage-ground-'));
  mkdirSync(join(directory, 'logs'));
  const cleanUps: CleanUps = [async () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 })];
  t.teardown(async () => {
    for (let end = cleanUps.pop(); end; end = cleanUps.pop()) await end().catch(() => {});
  });
  const recorder = new Recorder(join(directory, 'history.jsonl'));
  const world = await buildWorld(
    { agents: 2, replicas: 2, ...options, directory, recorder, random: new SeededRandom(1) },
    cleanUps,
  );
  const targets = await startTargets();
  cleanUps.push(() => targets.stop());
  const clients = startClients({ world, targets, recorder });
  cleanUps.push(() => clients.stop());
  const accepts = async (count: number) => {
    const wanted = clients.counts.accepted + count;
    await waitFor(`${count} accepted requests`, PATIENCE_MS, () => clients.counts.accepted >= wanted);
  };
  const endWell = (test: Test) => endAndJudge(test, { world, clients, targets, directory });
  return { world, targets, clients, recorder, accepts, endWell };
}

function startClients({ world, targets, recorder }: { world: World; targets: Targets; recorder: Recorder }): Clients {
  const clients = new Clients({
    api: world.api,
    urls: world.replicas.map(({ url }) => url),
    nodeIds: world.agents.map(({ nodeId }) => nodeId),
    targets,
    recorder,
    random: new SeededRandom(2),
  });
  clients.start();
  return clients;
}

async function endAndJudge(t: Test, evidence: Parameters<typeof judge>[0]): Promise<void> {
  const { world, clients } = evidence;
  clients.stopRequests();
  world.recorder.record('healed', { patienceMs: BACK_WITHIN_MS });
  await allOnline(world, PATIENCE_MS);
  await waitFor('quiet', PATIENCE_MS, async () => {
    // a request that is on its way may still be stored
    if (clients.isBusy) return false;
    const [row] = await world.database.query(`SELECT 1 FROM probe_node_tasks WHERE state = 'pending' LIMIT 1`);
    return row === undefined && isDelivered(world);
  });
  const { submitted, accepted, results, lost } = clients.counts;
  t.comment(`asked ${submitted}, accepted ${accepted}, ${results} node tasks with a result, ${lost} without`);
  const healedAt = new Date().toISOString();
  for (const { id, says, breaches, notChecked } of await judge(evidence)) {
    if (notChecked === null) t.strictSame(breaches, [], `${id}, judged at ${healedAt}: ${says}`);
    else t.comment(`${id} is not checked: ${notChecked}`);
  }
  clients.start();
}

function isDelivered({ agents }: World): boolean {
  return agents.every((agent) => agent.isLinked && agent.isDelivered);
}
