import { delay, systemClock } from '@vantage/shared/clock.js';
import { SPOOL_BOUNDS } from 'vantage-agent/spool/spool.js';
import { memoryOf, processTree } from '../bench/processes.js';
import { SeededRandom } from '../seeded-random.js';
import { AlertReceivers } from './alert-receivers.js';
import { ALERTS_WAIT, Alerting } from './alerts.js';
import { Clients } from './clients.js';
import type { Heal } from './faults/index.js';
import { isEverythingChecked, makeMonitors } from './monitors.js';
import type { Recorder } from './recorder.js';
import type { NemesisReport } from './report.js';
import { type PlannedFault, planFaults } from './schedule.js';
import { SmallDisk } from './small-disk.js';
import { startTargets } from './targets.js';
import { judge } from './verdict.js';
import { allOnline, buildWorld, type CleanUps, type World, waitFor } from './world.js';

// building ──> breaking: faults come and go ──> healing: everything is repaired ──> quiet, or out of patience ──> judging

/** Twice the longest backoff of an agent (agent/src/link/reconnect.ts). */
const PATIENCE_MS = 120_000;
/** Additional time for a last look after the patience is over, in milliseconds. */
const GRACE_MS = 15_000;
const PROGRESS_MS = 5_000;
const MEMORY_MS = 2_000;
/** Interval with which a fault that lasts is noted as one that interrupts, in milliseconds. */
const INTERRUPTING_MS = 5_000;
/** Resident megabytes: of a replica, and of an agent with all its processes; an idle one has under 100 MB. */
const MEMORY_LIMIT_MB = { replica: 512, agent: 300 };

/** SQL that is true while work is left: a task, or a change of a key. */
const WAITING = `SELECT EXISTS (SELECT FROM probe_node_tasks WHERE state = 'pending')
    OR EXISTS (SELECT FROM nodes WHERE rotation_requested_at IS NOT NULL AND deleted_at IS NULL) OR ${ALERTS_WAIT} AS waiting`;

export interface RunOptions {
  readonly seed: number;
  readonly minutes: number;
  readonly agents: number;
  readonly replicas: number;
  readonly directory: string;
  readonly recorder: Recorder;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Builds everything, breaks it by the seed's schedule, mends it, and judges. What it made is in `cleanUps`. */
export async function runNemesis(options: RunOptions, cleanUps: CleanUps): Promise<NemesisReport> {
  const { seed, recorder, say, signal } = options;
  say(`seed ${seed}: starting PostgreSQL, ${options.replicas} replicas and ${options.agents} agents`);
  const receivers = await AlertReceivers.start(new SeededRandom(seed + 3));
  cleanUps.push(() => receivers.stop());
  const world = await buildWorld(
    {
      ...options,
      environment: receivers.environment,
      hasSpoolDisks: SmallDisk.isPossible,
      random: new SeededRandom(seed + 1),
    },
    cleanUps,
  );
  const targets = await startTargets();
  cleanUps.push(() => targets.stop());
  await makeMonitors(world, targets);
  const alerting = new Alerting({ world, targets, receivers, random: new SeededRandom(seed + 4) });
  await alerting.prepare();
  cleanUps.push(async () => alerting.mend());
  alerting.start();
  const clients = new Clients({
    api: world.api,
    targets,
    recorder,
    random: new SeededRandom(seed + 2),
    urls: world.replicas.map(({ url }) => url),
    nodeIds: world.agents.map(({ nodeId }) => nodeId),
  });
  cleanUps.push(() => clients.stop());
  clients.start();
  const watch = watchOver(world, recorder);
  cleanUps.push(async () => clearInterval(watch));
  const breaking = new Breaking(world, options);
  const progress = setInterval(() => say(progressLine(world, clients, breaking)), PROGRESS_MS);
  cleanUps.push(async () => clearInterval(progress));
  await breaking.run(signal);
  clients.stopRequests();
  alerting.mend();
  const healedMs = await heal(world, clients, say);
  clearInterval(progress);
  say('judging');
  const findings = await judge({ world, clients, targets, alerting, directory: options.directory });
  const { counts } = clients;
  const { agents, replicas, minutes } = options;
  return { seed, minutes, agents, replicas, faults: breaking.done, counts, healedMs, findings };
}

/** Inflicts planned faults and heals them. */
class Breaking {
  readonly done: { at_ms: number; for_ms: number; kind: string; says: string; error: string | null }[] = [];
  readonly now = new Set<string>();
  readonly #planned: readonly PlannedFault[];
  /** Promises by claim, which settle when the holder has repaired what it broke; that may take longer than planned. */
  readonly #held = new Map<string, Promise<void>>();

  constructor(
    private readonly world: World,
    private readonly options: RunOptions,
  ) {
    this.#planned = planFaults({ ...options, durationMs: options.minutes * 60_000 });
  }

  /** Resolves when the last fault is healed. @throws AbortError when aborted */
  async run(signal: AbortSignal): Promise<void> {
    const begin = performance.now();
    const running: Promise<void>[] = [];
    for (const fault of this.#planned) {
      const waitMs = fault.atMs - (performance.now() - begin);
      if (waitMs > 0) await delay(systemClock, waitMs, signal);
      running.push(this.#inflictInTurn(fault));
    }
    const restMs = this.options.minutes * 60_000 - (performance.now() - begin);
    if (restMs > 0) await delay(systemClock, restMs, signal);
    await Promise.all(running);
  }

  #inflictInTurn(fault: PlannedFault): Promise<void> {
    const { claims } = fault.strike;
    const inflicted = Promise.all(claims.map((claim) => this.#held.get(claim))).then(() => this.#inflict(fault));
    for (const claim of claims) this.#held.set(claim, inflicted);
    return inflicted;
  }

  async #inflict({ atMs, forMs, kind, strike }: PlannedFault): Promise<void> {
    const says = `${kind}: ${strike.says}`;
    this.now.add(says);
    let heal: Heal | null = null;
    let error: string | null = null;
    const note = () => this.options.recorder.record('sender-interrupted', {});
    note();
    // a fault may last for minutes where everything is slow, and interrupts until its end
    const noting = setInterval(note, INTERRUPTING_MS);
    const endMs = performance.now() + forMs;
    try {
      heal = await strike.inflict(this.world);
      await delay(systemClock, Math.max(0, endMs - performance.now()));
    } catch (cause) {
      error = String(cause);
    }
    await heal?.().catch((cause: unknown) => {
      error = String(cause);
    });
    clearInterval(noting);
    note();
    this.now.delete(says);
    this.done.push({ at_ms: atMs, for_ms: forMs, kind, says: strike.says, error });
  }
}

/** Mends whatever a fault that failed has left, and waits until all is quiet. @returns how long that took; null if it never was quiet */
async function heal(world: World, clients: Clients, say: (line: string) => void): Promise<number | null> {
  const { agents, replicas, database, balancer, recorder, ask } = world;
  await database.resume();
  await database.start();
  await balancer.accept();
  for (const line of [...agents.flatMap(({ lines }) => lines), ...replicas.map(({ line }) => line)]) line.heal();
  for (const { spoolDisk } of agents) spoolDisk?.empty();
  for (const { unit } of [...replicas, ...agents]) {
    unit.resume();
    unit.start();
  }
  // a resumed replica handled an earlier request to drain after the one to undrain
  for (const { nodeId } of agents) await ask({ method: 'POST', path: `/v1/admin/nodes/${nodeId}/undrain` });
  recorder.record('healed', { patienceMs: PATIENCE_MS });
  say('everything is repaired; waiting until all agents are online and everything is delivered');
  const begin = performance.now();
  try {
    await allOnline(world, PATIENCE_MS + GRACE_MS);
    const leftMs = Math.max(1_000, PATIENCE_MS + GRACE_MS - (performance.now() - begin));
    await waitFor('quiet', leftMs, () => isQuiet(world, clients));
    return Math.round(performance.now() - begin);
  } catch (error) {
    say(String(error));
    return null;
  }
}

async function isQuiet({ agents, database }: World, clients: Clients): Promise<boolean> {
  if (clients.isBusy || !agents.every(({ isLinked, isDelivered }) => isLinked && isDelivered)) return false;
  const [row] = await database.query(WAITING);
  return row?.['waiting'] === false && (await isEverythingChecked(database));
}

/** Samples the memory of every process; a breach of a bound is recorded once for each. */
function watchOver({ agents, replicas }: World, recorder: Recorder): NodeJS.Timeout {
  const most = new Map<string, number>();
  const look = ({ name, unit }: World['agents'][number] | World['replicas'][number], limit: number) => {
    if (unit.pid === null || processTree(unit.pid).length === 0) return;
    const value = Math.round(memoryOf(unit.pid).pssMb);
    if (value <= (most.get(name) ?? 0)) return;
    most.set(name, value);
    recorder.record('gauge', { name: 'resident megabytes', of: name, value, limit });
  };
  return setInterval(() => {
    for (const replica of replicas) look(replica, MEMORY_LIMIT_MB.replica);
    for (const agent of agents) {
      look(agent, MEMORY_LIMIT_MB.agent);
      const bytes = agent.status()?.spool.bytes ?? 0;
      if (bytes > SPOOL_BOUNDS.maxBytes)
        recorder.record('gauge', { name: 'spool bytes', of: agent.name, value: bytes, limit: SPOOL_BOUNDS.maxBytes });
    }
  }, MEMORY_MS);
}

function progressLine({ agents }: World, { counts }: Clients, breaking: Breaking): string {
  const backlog = agents.reduce((sum, agent) => sum + (agent.status()?.spool.rows ?? 0), 0);
  const now = breaking.now.size === 0 ? '' : `  now ${[...breaking.now].join(' | ')}`;
  return (
    `faults ${breaking.done.length}  asked ${counts.submitted}  accepted ${counts.accepted}  results ${counts.results}  ` +
    `lost ${counts.lost}  waiting ${counts.waiting}  backlog ${backlog}${now}`
  );
}
