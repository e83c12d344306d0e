import { type BenchOptions, say } from '../harness.js';
import { machineCpu, type Usage, usageOf, usagePer } from '../processes.js';
import type { LoadGenerator, LoadOrder, LoadWindow, WarmUp } from './load-generator.js';
import type { RoadPart } from './parts.js';
import { type ProcessKind, processKinds, type Road, type RoadName } from './road.js';

/** The targets of all probes, each in a process of its own. */
export type Targets = Readonly<Record<RoadPart['target'], { readonly port: number; readonly pid: number }>>;

/** Everything that takes part in a measurement. */
export interface Site {
  readonly roads: readonly Road[];
  /** API key for Vantage; the bare road does not read credentials. */
  readonly key: string | null;
  readonly load: LoadGenerator;
  readonly targets: Targets;
}

/** One window of one road; usage for each probe. */
export interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly usage: Readonly<Record<ProcessKind, ReturnType<typeof usagePer>>>;
  /** Percent of the machine that was idle, and that other processes or other machines had. */
  readonly idlePercent: number;
  readonly othersPercent: number;
}

/** Rounds of a road at one number of probes in flight, in order. */
export interface Level {
  readonly inFlight: number;
  readonly rounds: Readonly<Record<RoadName, readonly Round[]>>;
}

export interface PartResult {
  readonly part: RoadPart;
  readonly warmUps: Readonly<Record<RoadName, WarmUp>>;
  readonly levels: readonly Level[];
}

/** Body of a request for a probe of this type. */
export function bodyOf({ type, target }: Pick<RoadPart, 'type' | 'target'>, targets: Targets): object {
  if (type !== 'http')
    return { target: '127.0.0.1', params: type === 'ping' ? { count: 1 } : { port: targets.target.port } };
  return { target: `${target === 'https' ? 'https' : 'http'}://127.0.0.1:${targets[target].port}/` };
}

/** Measures a part on all roads in turns: each round begins with another one. @throws BenchError when a request failed */
export async function measurePart(
  part: RoadPart,
  site: Site,
  { rounds, seconds, inFlight: levelsOf }: BenchOptions,
): Promise<PartResult> {
  for (const road of site.roads) await road.haveAgents(part.nodes);
  const order = (road: Road, inFlight: number): LoadOrder => {
    const isOurs = road.name === 'vantage';
    const type = isOurs ? part.type : 'http';
    return {
      url: road.url,
      key: isOurs ? site.key : null,
      type,
      body: bodyOf({ ...part, type }, site.targets),
      nodes: part.nodes,
      inFlight,
      takesBudget: isOurs && part.takesBudget,
      seconds,
    };
  };
  const warmUps: Partial<Record<RoadName, WarmUp>> = {};
  for (const road of site.roads) {
    say(`${part.name}: ${road.name}, warming up`);
    warmUps[road.name] = await site.load.warmUp(order(road, Math.max(...levelsOf)));
  }
  const levels: Level[] = [];
  for (const inFlight of levelsOf) {
    const found: Record<RoadName, Round[]> = { vantage: [], 'bare road': [] };
    for (let round = 0; round < rounds; round += 1) {
      say(`${part.name}: ${inFlight} in flight, round ${round + 1} of ${rounds}`);
      const inTurn = round % 2 === 0 ? site.roads : [...site.roads].reverse();
      for (const road of inTurn) found[road.name].push(await measureRound(road, site, order(road, inFlight)));
    }
    levels.push({ inFlight, rounds: found });
  }
  return { part, warmUps: warmUps as PartResult['warmUps'], levels };
}

async function measureRound(road: Road, { load, targets }: Site, order: LoadOrder): Promise<Round> {
  const read = () => ({
    usage: {
      ...road.usage(),
      'load generator': usageOf([load.pid]),
      target: usageOf(Object.values(targets).map(({ pid }) => pid)),
    },
    machine: machineCpu(),
  });
  const readings: ReturnType<typeof read>[] = [];
  const window = await load.measure(order, () => readings.push(read()));
  const [before, after] = readings as [ReturnType<typeof read>, ReturnType<typeof read>];
  const usage = perProbe(window.count, before.usage, after.usage);
  const total = after.machine.total - before.machine.total;
  const idle = after.machine.idle - before.machine.idle;
  const own = (window.count * processKinds.reduce((sum, kind) => sum + usage[kind].cpuUs, 0)) / 1e6;
  return {
    ...figures(window),
    usage,
    idlePercent: (100 * idle) / total,
    othersPercent: (100 * Math.max(0, total - idle - own)) / total,
  };
}

function figures({ count, seconds, p50, p95, p99 }: LoadWindow) {
  return { perSecond: count / seconds, p50, p95, p99 };
}

function perProbe(
  count: number,
  before: Readonly<Record<ProcessKind, Usage>>,
  after: Readonly<Record<ProcessKind, Usage>>,
): Round['usage'] {
  return Object.fromEntries(
    processKinds.map((kind) => [kind, usagePer(count, before[kind], after[kind])]),
  ) as Round['usage'];
}
