import { MissingProgramsError } from '@vantage/shared/_support/missing.js';
import { Command, InvalidArgumentError } from 'commander';
import { makeScratchDirectory } from '../scratch-directory.js';
import { alertComparisons, benchAlerts } from './alerts/index.js';
import { benchApi } from './api.js';
import { BenchError } from './bench-error.js';
import { benchChecks } from './checks.js';
import { benchInstall } from './install/index.js';
import { benchLink, linkComparisons } from './link/index.js';
import { benchLookups, lookupComparisons } from './lookups/index.js';
import { benchMainRoad, mainRoadParts } from './main-road/index.js';
import { benchMonitors, monitorComparisons } from './monitors/index.js';
import { benchProbes, probeComparisons } from './probes/index.js';
import { sized } from './sized.js';
import { benchWebhooks, webhookComparisons } from './webhooks/index.js';

interface Benchmark {
  readonly question: string;
  /** Parts that `--only` chooses among. */
  readonly parts?: readonly { readonly name: string; readonly question: string }[];
  run(options: BenchmarkOptions): Promise<void>;
}

interface BenchmarkOptions {
  readonly rounds: number;
  readonly probes: number;
  readonly agents: number;
  readonly deliveries: number;
  readonly types: string | undefined;
  readonly isDryRun: boolean;
  readonly only: string | undefined;
  readonly seconds: number;
  readonly inFlight: readonly number[];
  readonly isJson: boolean;
  readonly profile: string | true | undefined;
}

/** The one list of benchmarks, each with the question that it answers. */
export const benchmarks: Readonly<Record<string, Benchmark>> = {
  'main-road': {
    question:
      'How long does a probe take from POST to result, beside a bare road, and what do the programs spend on it?',
    parts: mainRoadParts,
    run: benchMainRoad,
  },
  alerts: {
    question: 'How soon does an alert reach its receiver, and what does a storm of ten thousand cost?',
    parts: alertComparisons,
    run: benchAlerts,
  },
  api: { question: 'What do credentials, limits and validation cost a request?', run: benchApi },
  checks: {
    question: 'How much space does a stored check need, and what do roll-ups cost?',
    run: benchChecks,
  },
  install: {
    question: 'How long do installation, upgrade and start of an agent take? Needs root: it makes a bare Debian.',
    run: benchInstall,
  },
  link: { question: 'What does the link of nodes cost? Some parts need root.', parts: linkComparisons, run: benchLink },
  lookups: {
    question: 'How fast are addresses placed and judged, and what do large lists cost?',
    parts: lookupComparisons,
    run: benchLookups,
  },
  monitors: {
    question: 'What do ten thousand monitors cost, and how soon do events open?',
    parts: monitorComparisons,
    run: benchMonitors,
  },
  probes: {
    question:
      'Does each probe engine measure the same as the standard tool of its field? Needs root: it creates a lab.',
    parts: probeComparisons,
    run: benchProbes,
  },
  webhooks: {
    question: 'How fast are webhooks sent, beside a bare loop, endpoints that never answer and a long log?',
    parts: webhookComparisons,
    run: benchWebhooks,
  },
};

/** The list for people: a line each, with the question. */
function listText(): string {
  return Object.entries(benchmarks)
    .flatMap(([name, { question, parts = [] }]) => [
      `${name.padEnd(12)} ${question}`,
      ...parts.map((part) => `  ${part.name.padEnd(14)} ${part.question}`),
    ])
    .join('\n');
}

/** `npm run bench -- NAME`: measures, prints the report and writes it to docs/benchmarks.md; without a name the list. Exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const command = new Command('npm run bench --')
    .argument('[name]', 'name of a benchmark below; without a name, all are listed')
    .addHelpText('after', `\n${listText()}`)
    .option('--rounds <n>', 'number of rounds of each measurement', Number, sized(5, 1))
    .option('--probes <n>', 'probes: number of probes of each type for memory', Number, sized(10_000, 50))
    .option('--agents <n>', 'link: number of agents in large measurements', Number, sized(10_000, 20))
    .option(
      '--deliveries <n>',
      'alerts and webhooks: number of finished deliveries in the log',
      Number,
      sized(1_000_000, 10_000),
    )
    .option('--types <names>', 'probes: comma-separated types for memory')
    .option('--dry-run', 'print only the report')
    .option('--only <names>', 'comma-separated parts; api and checks have none')
    .option('--seconds <n>', 'main-road: length of a round', Number, sized(5, 0.3))
    .option(
      '--in-flight <numbers>',
      'main-road: comma-separated numbers of probes in flight',
      parseNumbers,
      sized([1, 8, 64, 256], [8]),
    )
    .option('--json', 'main-road: print one JSON document in place of the report')
    .option('--profile [directory]', 'main-road: write CPU profiles of each part into a directory, and print its name')
    .parse([...args], { from: 'user' });
  const [name] = command.args;
  const benchmark = name === undefined || !Object.hasOwn(benchmarks, name) ? undefined : benchmarks[name];
  if (benchmark === undefined) {
    const isListed = name === undefined;
    process[isListed ? 'stdout' : 'stderr'].write(
      `${isListed ? '' : `unknown benchmark "${name}": one of\n`}${listText()}\n`,
    );
    return isListed ? 0 : 2;
  }
  const { dryRun, json, ...options } = command.opts<{
    rounds: number;
    probes: number;
    agents: number;
    deliveries: number;
    types?: string;
    dryRun?: true;
    only?: string;
    seconds: number;
    inFlight: readonly number[];
    json?: true;
    profile?: string | true;
  }>();
  // what its parts write stands in one directory, which the next benchmark removes where this one is killed
  const scratch = await makeScratchDirectory({ prefix: 'vantage-bench-' });
  process.env['TMPDIR'] = scratch.path;
  try {
    const { types, only, profile } = options;
    await benchmark.run({ ...options, types, only, profile, isDryRun: dryRun === true, isJson: json === true });
    return 0;
  } catch (error) {
    if (!(error instanceof MissingProgramsError || error instanceof BenchError)) throw error;
    process.stderr.write(`bench: ${error.message}\n`);
    return 1;
  } finally {
    await scratch.remove();
  }
}

function parseNumbers(text: string): number[] {
  const numbers = text.split(',').map(Number);
  if (numbers.every((number) => Number.isInteger(number) && number > 0)) return numbers;
  throw new InvalidArgumentError('not a list of positive integers');
}
