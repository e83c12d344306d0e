import { MissingProgramsError } from '@vantage/shared/_support/missing.js';
import { Command, InvalidArgumentError } from 'commander';
import { makeScratchDirectory } from '../scratch-directory.js';
import { storm } from './alerts/storm.js';
import { api } from './api.js';
import { checks } from './checks.js';
import { BenchError, type BenchOptions, type Part, runParts, say, sized } from './harness.js';
import { install } from './install.js';
import { linkParts } from './link/index.js';
import { lookups } from './lookups.js';
import { benchMainRoad, mainRoadParts } from './main-road/index.js';
import { monitorChecks } from './monitors/checks.js';
import { events } from './monitors/events.js';
import { probeParts } from './probes/index.js';
import { backlog } from './webhooks/backlog.js';
import { rate } from './webhooks/rate.js';

interface Benchmark {
  readonly question: string;
  /** Parts that `--only` chooses among; none: it is one part. */
  readonly parts: readonly Pick<Part, 'name' | 'question'>[];
  run(options: BenchOptions): Promise<void>;
}

function ofParts(name: string, question: string, parts: readonly Part[]): Benchmark {
  return { question, parts, run: (options) => runParts(name, parts, options) };
}

function ofOne(part: Part): Benchmark {
  return { question: part.question, parts: [], run: (options) => runParts(part.name, [part], options) };
}

/** The one list of benchmarks, each with the question that it answers. */
export const benchmarks: Readonly<Record<string, Benchmark>> = {
  'main-road': {
    question:
      'How long does a probe take from POST to result, beside a bare road, and what do the programs spend on it?',
    parts: mainRoadParts,
    run: benchMainRoad,
  },
  alerts: ofParts('alerts', 'How soon are monitors that go down at once stored as alerts and notified?', [storm]),
  api: ofOne(api),
  checks: ofOne(checks),
  install: ofOne(install),
  link: ofParts('link', 'What do links of nodes cost the control plane and the agent?', linkParts),
  lookups: ofOne(lookups),
  monitors: ofParts('monitors', 'What do ten thousand monitors cost, and how soon do events open?', [
    monitorChecks,
    events,
  ]),
  probes: ofParts(
    'probes',
    'Does each probe measure the same as the usual tool of its field? Needs root: it creates a lab.',
    probeParts,
  ),
  webhooks: ofParts('webhooks', 'How fast are webhooks sent, beside a bare loop, and with a long log?', [
    rate,
    backlog,
  ]),
};

/** The list for people: a line each, with the question. */
function listText(): string {
  return Object.entries(benchmarks)
    .flatMap(([name, { question, parts }]) => [
      `${name.padEnd(12)} ${question}`,
      ...parts.map((part) => `  ${part.name.padEnd(14)} ${part.question}`),
    ])
    .join('\n');
}

/** `npm run bench -- NAME`: measures and prints the report; without a name the list. Exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const command = new Command('npm run bench --')
    .argument('[name]', 'name of a benchmark below; without a name, all are listed')
    .addHelpText('after', `\n${listText()}`)
    .option('--rounds <n>', 'number of rounds of each measurement', parseNumber, sized(5, 1))
    .option('--only <names>', 'comma-separated parts')
    .option('--agents <n>', 'link: number of agents in large measurements', parseNumber, sized(10_000, 20))
    .option(
      '--deliveries <n>',
      'webhooks: number of finished deliveries in the log',
      parseNumber,
      sized(1_000_000, 10_000),
    )
    .option('--seconds <n>', 'main-road: length of a round', Number, sized(5, 0.3))
    .option(
      '--in-flight <numbers>',
      'main-road: comma-separated numbers of probes in flight',
      (text) => text.split(',').map(parseNumber),
      sized([1, 8, 64, 256], [8]),
    )
    .option('--json', 'main-road: print one JSON document in place of the report')
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
  const { json, only, ...sizes } = command.opts<
    Omit<BenchOptions, 'only' | 'isJson'> & { readonly only?: string; readonly json?: true }
  >();
  // what its parts write is in one directory, which the next benchmark removes where this one is killed
  const scratch = await makeScratchDirectory({ prefix: 'vantage-bench-' });
  process.env['TMPDIR'] = scratch.path;
  try {
    await benchmark.run({ ...sizes, only, isJson: json === true });
    return 0;
  } catch (error) {
    if (!(error instanceof MissingProgramsError || error instanceof BenchError)) throw error;
    say(`bench: ${error.message}`);
    return 1;
  } finally {
    await scratch.remove();
  }
}

function parseNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('not a positive integer');
}
