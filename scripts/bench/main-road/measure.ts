import { machineCpu } from '../processes.js';
import type { LoadGenerator } from './load-generator.js';
import type { LoadOrder, LoadWindow, WarmUp } from './load-messages.js';
import type { RoadPart } from './parts.js';
import type { Profiler } from './profiler.js';
import { type ProcessKind, processKinds, type Road } from './road.js';
import { bodyOf, type Targets } from './targets.js';
import { type Usage, usageOf, usagePer } from './usage.js';

/** Everything that takes part in a measurement. */
export interface Site {
  readonly roads: readonly Road[];
  /** API key for Vantage; the bare road does not read credentials. */
  readonly key: string | null;
  readonly load: LoadGenerator;
  readonly targets: Targets;
}

/** Size of a measurement. */
export interface RoadOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly inFlight: readonly number[];
  readonly profiler: Profiler | null;
  say(text: string): void;
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
  readonly rounds: Readonly<Record<Road['name'], readonly Round[]>>;
}

export interface PartResult {
  readonly part: RoadPart;
  readonly warmUps: Readonly<Record<Road['name'], WarmUp>>;
  readonly levels: readonly Level[];
}

/** Measures a part on all roads in turns: each round begins with another one. @throws BenchError when a request failed */
export async function measurePart(part: RoadPart, site: Site, options: RoadOptions): Promise<PartResult> {
  for (const road of site.roads) await road.haveAgents(part.nodes);
  const order = (road: Road, inFlight: number): LoadOrder => ({
    url: road.url,
    key: road.name === 'vantage' ? site.key : null,
    ...(road.name === 'vantage' ? { type: part.type } : { type: 'http' }),
    body: bodyOf(road.name === 'vantage' ? part : { ...part, type: 'http' }, site.targets),
    nodes: part.nodes,
    inFlight,
    takesBudget: road.name === 'vantage' && part.takesBudget,
  });
  const warmUps: Partial<Record<Road['name'], WarmUp>> = {};
  for (const road of site.roads) {
    options.say(`${part.name}: ${road.name}, warming up`);
    warmUps[road.name] = await site.load.warmUp(order(road, Math.max(...options.inFlight)));
  }
  const levels: Level[] = [];
  for (const inFlight of options.inFlight) {
    const rounds: Record<Road['name'], Round[]> = { vantage: [], 'bare road': [] };
    for (let round = 0; round < options.rounds; round += 1) {
      options.say(`${part.name}: ${inFlight} in flight, round ${round + 1} of ${options.rounds}`);
      for (const road of inTurn(site.roads, round))
        rounds[road.name].push(await measureRound(road, site, { ...order(road, inFlight), seconds: options.seconds }));
    }
    levels.push({ inFlight, rounds });
    for (const road of options.profiler === null ? [] : site.roads)
      await profile(road, site, { part, options, order: order(road, inFlight) });
  }
  return { part, warmUps: warmUps as PartResult['warmUps'], levels };
}

function inTurn<T>(items: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? items : [...items].reverse();
}

async function measureRound(
  road: Road,
  { load, targets }: Site,
  order: LoadOrder & { readonly seconds: number },
): Promise<Round> {
  const read = () => ({
    usage: { ...road.usage(), 'load generator': usageOf([load.pid]), target: usageOf(targets.pids) },
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

/** One more window under the profiler, which slows it: none of its figures are taken. */
async function profile(
  road: Road,
  { load, targets }: Site,
  { part, options, order }: { readonly part: RoadPart; readonly options: RoadOptions; readonly order: LoadOrder },
): Promise<void> {
  const { profiler, seconds, say } = options;
  if (profiler === null) return;
  const measured = `${part.name}-${order.inFlight}-${road.name.replace(' ', '-')}`;
  say(`${measured}: profiles`);
  let finish: (() => Promise<void>) | null = null;
  const onEdge = () => {
    finish ??= profiler.start(measured, [load.pid, ...targets.pids, ...road.programs()]);
  };
  await load.measure({ ...order, seconds }, onEdge);
  await (finish as (() => Promise<void>) | null)?.();
}
