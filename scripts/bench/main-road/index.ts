import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBareRoad } from '../bare-road/start.js';
import { BenchError } from '../bench-error.js';
import { machineText, writeReport } from '../report.js';
import { plansWith } from './callers.js';
import { LoadGenerator } from './load-generator.js';
import { measurePart, type RoadOptions, type Site } from './measure.js';
import { type RoadPart, roadParts } from './parts.js';
import { Profiler } from './profiler.js';
import { measurePrograms, programsText } from './programs.js';
import { levelFigures, partText } from './report.js';
import { startTargets } from './targets.js';
import { startVantageRoad, type VantageRoad } from './vantage-road.js';

const PROGRAMS = 'programs';

/** Names and questions of all parts. */
export const mainRoadParts: readonly { readonly name: string; readonly question: string }[] = [
  { name: PROGRAMS, question: 'How much memory do the programs take at rest, and how soon do they work?' },
  ...roadParts,
];

export interface MainRoadRequest {
  readonly rounds: number;
  readonly seconds: number;
  readonly inFlight: readonly number[];
  readonly isDryRun: boolean;
  /** Names of parts, divided by commas; all without it. */
  readonly only: string | undefined;
  readonly isJson: boolean;
  /** Directory of CPU profiles; true: a temporary one; undefined: none are taken. */
  readonly profile: string | true | undefined;
}

/** Measures probes from request to result, in turns with the bare road. @throws BenchError when a part failed, after all others */
export async function benchMainRoad(request: MainRoadRequest): Promise<void> {
  const chosen = chosenParts(request.only);
  const profiler =
    request.profile === undefined ? null : Profiler.create(request.profile === true ? undefined : request.profile);
  const { rounds, seconds, inFlight } = request;
  const run: Run = { request, options: { rounds, seconds, inFlight, profiler, say }, found: {}, failed: [] };
  const parts = roadParts.filter(({ name }) => chosen.has(name));
  // anonymous callers of one control plane have one plan
  const hasQuota = ({ caller }: RoadPart) => caller === 'anonymous-quota';
  const groups = [
    { hasAnonymousQuota: false, hasPrograms: chosen.has(PROGRAMS), parts: parts.filter((part) => !hasQuota(part)) },
    { hasAnonymousQuota: true, hasPrograms: false, parts: parts.filter(hasQuota) },
  ];
  for (const group of groups) if (group.hasPrograms || group.parts.length > 0) await runGroup(group, run);
  if (request.isJson)
    process.stdout.write(`${JSON.stringify({ machine: machineText(), rounds, seconds, parts: run.found })}\n`);
  if (profiler !== null) say(`profiles are in ${profiler.directory}`);
  if (run.failed.length > 0) throw new BenchError(run.failed.join('\n'));
}

function chosenParts(only: string | undefined): ReadonlySet<string> {
  const names = mainRoadParts.map(({ name }) => name);
  const chosen = only === undefined ? names : only.split(',').map((name) => name.trim());
  for (const name of chosen) {
    if (!names.includes(name)) throw new BenchError(`unknown part "${name}": one of ${names.join(', ')}`);
  }
  return new Set(chosen);
}

/** Request, and results so far. */
interface Run {
  readonly request: MainRoadRequest;
  readonly options: RoadOptions;
  readonly found: Record<string, object>;
  readonly failed: string[];
}

/** Parts that are measured on the same programs. */
interface Group {
  readonly hasAnonymousQuota: boolean;
  readonly hasPrograms: boolean;
  readonly parts: readonly RoadPart[];
}

async function runGroup({ hasAnonymousQuota, hasPrograms, parts }: Group, run: Run): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'vantage-bench-'));
  const stops: (() => unknown)[] = [() => rm(directory, { recursive: true, force: true })];
  try {
    say('starting the programs');
    const environment = run.options.profiler?.environment ?? {};
    const targets = await startTargets(environment);
    stops.push(() => targets.stop());
    const load = new LoadGenerator(environment);
    stops.push(() => load.stop());
    const vantage = await startVantageRoad(plansWith({ hasAnonymousQuota }), {
      directory: await folder(directory, 'vantage'),
      environment,
      stops,
    });
    if (hasPrograms) await runPart(PROGRAMS, run, () => runPrograms(vantage, targets));
    if (parts.length === 0) return;
    const bare = await startBareRoad({ directory: await folder(directory, 'bare'), environment, stops });
    for (const part of parts) {
      await runPart(part.name, run, async () => {
        const site: Site = { roads: [bare, vantage], key: await vantage.createKey(part.caller), load, targets };
        const result = await measurePart(part, site, run.options);
        return {
          text: partText(result, run.request),
          json: { warmUps: result.warmUps, levels: result.levels.map(levelFigures) },
        };
      });
    }
  } finally {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  }
}

async function runPrograms(vantage: VantageRoad, targets: Awaited<ReturnType<typeof startTargets>>) {
  const programs = await measurePrograms(vantage, targets);
  return {
    text: `## main-road: what the programs cost\n\n${machineText()}.\n\n${programsText(programs)}\n`,
    json: programs,
  };
}

/** Runs a part and writes its section; a part that fails leaves none. */
async function runPart(
  name: string,
  { request, found, failed }: Run,
  measure: () => Promise<{ readonly text: string; readonly json: object }>,
): Promise<void> {
  try {
    const { text, json } = await measure();
    found[name] = json;
    if (!request.isJson) process.stdout.write(`${text}\n`);
    if (!request.isDryRun) writeReport(`main-road-${name}`, text);
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    failed.push(`${name}: ${error.message}`);
    say(`${name}: failed: ${error.message}`);
  }
}

async function folder(directory: string, name: string): Promise<string> {
  const path = join(directory, name);
  await mkdir(path);
  return path;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
