import type { HistoryRecord } from '../invariants/history.js';
import type { Breach } from '../invariants/index.js';
import { findBreaches } from '../invariants/index.js';
import { keptReports } from '../invariants/kept-reports.js';
import { laneNumbers } from './database/tables.js';
import { liftBan } from './faults/bans.js';
import { Trouble } from './faults/index.js';
import { Readings } from './readings.js';
import { Site } from './site.js';
import { Watching } from './watching.js';
import { Work } from './work.js';
import { World } from './world.js';

/** Twice the longest backoff of an agent: by then everybody has to be back. */
const PATIENCE_MS = 120_000;
/** Time until which a link may be dead unnoticed: three heartbeats unanswered after one that was, and one in doubt. */
const SILENCE_MS = 80_000;
/** Time without a visible fault after which there is taken to be none, in milliseconds. */
const STEADY_MS = 6_000;
/** One seed in so many waits out the whole silence, for what goes wrong late. */
const PATIENT_SEEDS = 16;
/** Time after which nothing waits any more: calm time, in which no link may end. */
const CALM_MS = 20_000;
/** Time between two probes in calm: enough that every link is used. */
const CALM_WORK_MS = 2_500;
const CLOCKS_READ_MS = 2_000;

/** Outcome of one seed. */
export interface RunReport {
  readonly seed: number;
  readonly breaches: readonly Breach[];
  /** Hash of all events: equal for two runs of one seed. */
  readonly hash: string;
  readonly tail: readonly string[];
  readonly virtualMs: number;
  readonly events: number;
  readonly records: readonly HistoryRecord[];
}

export interface RunOptions {
  readonly isTraced?: boolean;
  /** Names of the faults there are; any when nothing is said. */
  readonly faults?: readonly string[];
  /** Time during which things break, virtual milliseconds; default: 10 s to 60 s. */
  readonly troubleMs?: number;
  /** True if there are no requests once all is repaired: then no new result can correct what is wrong. */
  readonly isQuietWhenMended?: boolean;
}

//   start ── work and trouble, 10 to 60 s ── all is mended ── until nothing waits, and no link is half ── calm ── the invariants

/** Runs one seed from its first event to the last. */
export async function runSeed(seed: number, options: RunOptions = {}): Promise<RunReport> {
  const { isTraced = false, faults = null } = options;
  const world = new World(seed, { isTraced });
  const site = new Site(world);
  const work = new Work(site, world.random.magnitude(300, 3_000));
  const readings = new Readings(site, world.random.magnitude(500, 5_000));
  const watching = new Watching(site, world.random.magnitude(2_000, 20_000));
  const trouble = new Trouble(site, world.random.magnitude(1_000, 8_000), faults);
  site.start();
  readClocks(site);
  work.start();
  readings.start();
  watching.start();
  trouble.start();
  const troubleMs = world.random.magnitude(10_000, 60_000);
  await world.runUntil(options.troubleMs ?? troubleMs);
  trouble.end();
  watching.stop();
  for (const actor of [work, readings]) {
    if (options.isQuietWhenMended === true) actor.stop();
    else actor.slowDown(CALM_WORK_MS);
  }
  heal(site);
  await becomeCalm(site, seed % PATIENT_SEEDS === 0 ? SILENCE_MS : 0);
  site.recorder.add('calm', {});
  world.trace.add('', 'calm');
  await world.runUntil(world.nowMs + CALM_MS);
  work.stop();
  readings.stop();
  await world.runWhile(() => !isWell(site) || !isAnswered(site), world.nowMs + PATIENCE_MS);
  readEnd(site);
  const secrets = site.agents.map(({ keys }) => keys.privateKey.export({ format: 'jwk' }).d ?? '');
  const breaches = findBreaches({ records: site.recorder.records, secrets });
  const { records } = site.recorder;
  return {
    seed,
    breaches,
    hash: world.trace.hash,
    tail: world.trace.tail,
    virtualMs: world.nowMs,
    events: world.events,
    records,
  };
}

function heal(site: Site): void {
  site.database.heal();
  site.bus.heal();
  for (const way of site.network.ways) {
    Object.assign(way, { latencyMs: 20, jitterMs: 5, bytesPerSecond: Number.POSITIVE_INFINITY });
    way.unblock();
  }
  for (const replica of site.replicas) {
    replica.process?.thaw();
    replica.start();
  }
  for (const agent of site.agents) {
    agent.process?.thaw();
    agent.disk.heal();
    liftBan(site, agent.nodeId);
    agent.start();
  }
  site.recorder.add('healed', { patienceMs: PATIENCE_MS });
  site.world.trace.add('', 'all is mended');
}

/** Waits until all is well; for `leastMs` at least, and no longer than two minutes. */
async function becomeCalm(site: Site, leastMs: number): Promise<void> {
  const { world } = site;
  const latestMs = world.nowMs + PATIENCE_MS;
  let steadySinceMs = world.nowMs;
  await world.runUntil(world.nowMs + leastMs);
  await world.runWhile(() => {
    if (!isWell(site) || !site.network.isWhole) steadySinceMs = world.nowMs;
    return world.nowMs - steadySinceMs < STEADY_MS;
  }, latestMs);
}

/** True if all agents are online and nothing is left to be delivered. */
function isWell(site: Site): boolean {
  // a process that is still stopping, or was banned and ends, is started again by its supervisor
  for (const part of [...site.replicas, ...site.agents]) part.start();
  return site.agents.every(({ isOnline, running }) => isOnline && running?.spool.stats().rows === 0);
}

function isAnswered({ database }: Site): boolean {
  return [...database.tables.nodeTasks.values()].every(({ state }) => state !== 'pending');
}

function readClocks(site: Site): void {
  for (const { nodeId, running } of site.agents) {
    if (running === null) continue;
    const { offsetMs, uncertaintyMs } = running.clockSync.estimate();
    const errorMs = running.process.clock.now() + offsetMs - site.world.wallMs;
    site.recorder.add('clock', { nodeId, errorMs, uncertaintyMs });
    const { heldBytes, maxBytes } = running.spool.stats();
    site.recorder.add('gauge', {
      name: 'bytes of the spool',
      of: nodeId,
      value: heldBytes,
      limit: maxBytes + (1 << 18),
    });
  }
  site.world.after(CLOCKS_READ_MS, () => readClocks(site));
}

/** Records the final state: the database, and what agents still hold. */
function readEnd(site: Site): void {
  const { recorder, database, agents, logged } = site;
  const { nodeTasks, superseded, gaps, readings } = database.tables;
  for (const { id: subject, nodeId, state, finishedAt } of nodeTasks.values()) {
    recorder.add('task', { subject, nodeId, state, storedAt: finishedAt });
    if (state === 'done') recorder.add('kept', { subject, nodeId, as: 'result', storedAt: finishedAt ?? 0 });
  }
  for (const [subject, { nodeId, storedAt }] of superseded) {
    recorder.add('kept', { subject, nodeId, as: 'superseded', storedAt });
  }
  readSlots(site);
  for (const reading of readings) recorder.add('kept', { ...reading, as: 'result' });
  for (const { lane, ...gap } of gaps) {
    recorder.add('gap', { ...gap, lane: lane === laneNumbers.task ? 'task' : 'check' });
  }
  for (const { nodeId, running } of agents) {
    recorder.add('backlog', { nodeId, rows: running?.spool.stats().rows ?? 0 });
  }
  for (const text of logged) recorder.add('text', { where: 'log', text });
}

function readSlots({ recorder, database }: Site): void {
  const stored = [...database.tables.slots.values()].flat();
  for (const { storedAt: _, ...row } of stored) recorder.add('slots', row);
  for (const report of keptReports(recorder.records, stored)) recorder.add('kept', report);
  for (const { nodeId, monitorId, generation, endedAt } of database.tables.assignments.values())
    if (endedAt === null) recorder.add('assigned', { nodeId, monitorId, generation });
}
