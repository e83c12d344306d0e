import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BenchError, type BenchOptions, chooseParts, machineText, type Stops, say, withStops } from '../harness.js';
import { startServer } from '../programs.js';
import { startBareRoad } from './bare-road.js';
import { LoadGenerator } from './load-generator.js';
import { measurePart, type Targets } from './measure.js';
import { type RoadPart, roadParts } from './parts.js';
import { measurePrograms, programsText } from './programs.js';
import { levelFigures, partText } from './report.js';
import { startVantageRoad } from './vantage-road.js';

const programs = {
  name: 'programs',
  question: 'How much memory do the programs take at rest, and how soon do they work?',
};

export const mainRoadParts: readonly { readonly name: string; readonly question: string }[] = [programs, ...roadParts];

/** Measures probes from request to result, in turns with the bare road. @throws BenchError when a part failed, after all others */
export async function benchMainRoad(options: BenchOptions): Promise<void> {
  const chosen = new Set(chooseParts(mainRoadParts, options.only).map(({ name }) => name));
  const run: Run = { options, found: {}, failed: [] };
  const parts = roadParts.filter(({ name }) => chosen.has(name));
  // anonymous callers of one control plane have one plan
  const hasQuota = ({ caller }: RoadPart) => caller === 'anonymous-quota';
  const groups: readonly Group[] = [
    {
      hasAnonymousQuota: false,
      hasPrograms: chosen.has(programs.name),
      parts: parts.filter((part) => !hasQuota(part)),
    },
    { hasAnonymousQuota: true, hasPrograms: false, parts: parts.filter(hasQuota) },
  ];
  for (const group of groups)
    if (group.hasPrograms || group.parts.length > 0) await withStops((stops) => runGroup(group, run, stops));
  const { rounds, seconds, isJson } = options;
  if (isJson)
    process.stdout.write(`${JSON.stringify({ machine: machineText(), rounds, seconds, parts: run.found })}\n`);
  if (run.failed.length > 0) throw new BenchError(run.failed.join('\n'));
}

/** Results so far. */
interface Run {
  readonly options: BenchOptions;
  readonly found: Record<string, object>;
  readonly failed: string[];
}

/** Parts that are measured on the same programs. */
interface Group {
  readonly hasAnonymousQuota: boolean;
  readonly hasPrograms: boolean;
  readonly parts: readonly RoadPart[];
}

async function runGroup({ hasAnonymousQuota, hasPrograms, parts }: Group, run: Run, stops: Stops): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'vantage-bench-'));
  stops.push(() => rm(directory, { recursive: true, force: true }));
  say('starting the programs');
  const targets: Targets = { target: await startServer('target', stops), https: await startServer('https', stops) };
  const load = new LoadGenerator();
  stops.push(() => load.stop());
  const vantage = await startVantageRoad(await folder(directory, 'vantage'), { hasAnonymousQuota }, stops);
  if (hasPrograms)
    await runPart(programs.name, run, async () => {
      const found = await measurePrograms(vantage, targets);
      const text = `## main-road: what the programs cost\n\n${machineText()}.\n\n${programsText(found)}\n`;
      return { text, json: found };
    });
  if (parts.length === 0) return;
  const bare = await startBareRoad(await folder(directory, 'bare'), stops);
  for (const part of parts) {
    await runPart(part.name, run, async () => {
      const site = { roads: [bare, vantage], key: await vantage.createKey(part.caller), load, targets };
      const result = await measurePart(part, site, run.options);
      return {
        text: partText(result, run.options),
        json: { warmUps: result.warmUps, levels: result.levels.map(levelFigures) },
      };
    });
  }
}

/** Runs a part and prints its report; a part that fails leaves none. */
async function runPart(
  name: string,
  { options, found, failed }: Run,
  measure: () => Promise<{ readonly text: string; readonly json: object }>,
): Promise<void> {
  try {
    const { text, json } = await measure();
    found[name] = json;
    if (!options.isJson) process.stdout.write(`${text}\n`);
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
