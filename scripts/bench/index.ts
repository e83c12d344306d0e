import { Command } from 'commander';
import { benchApi } from './api.js';
import { benchChecks } from './checks.js';
import { benchLink } from './link/index.js';
import { benchMainRoad } from './main-road.js';
import { benchMonitors } from './monitors/index.js';
import { benchProbes } from './probes/index.js';

/** The one list of benchmarks: name, what it measures, how to run it. */
const benchmarks = {
  'main-road': { summary: 'a probe from POST to result, and what agent and control plane cost', run: benchMainRoad },
  api: { summary: 'what credentials, limits and validation cost a request', run: benchApi },
  checks: { summary: 'what a stored check weighs, and what rolling checks up costs', run: benchChecks },
  link: { summary: 'ten thousand agents, ingest, spool and what they cost; some parts want root', run: benchLink },
  monitors: {
    summary: 'checks of ten thousand monitors: what they cost, and how soon events come',
    run: benchMonitors,
  },
  probes: { summary: "each probe engine beside the field's own tool, in the lab; needs root", run: benchProbes },
} as const;

/** `npm run bench -- NAME`: measures, prints the report and writes it to docs/benchmarks.md. Exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const names = Object.keys(benchmarks) as (keyof typeof benchmarks)[];
  const command = new Command('npm run bench --')
    .argument('<name>', names.map((name) => `${name}: ${benchmarks[name].summary}`).join('; '))
    .option('--rounds <n>', 'rounds of each measurement', Number, 5)
    .option('--probes <n>', 'of probes: how many of each type for memory', Number, 10_000)
    .option('--agents <n>', 'of link: how many are many', Number, 10_000)
    .option('--types <names>', 'of probes: types that memory counts them of, divided by commas')
    .option('--dry-run', 'print the report only')
    .option('--only <names>', 'of link, monitors and probes: comparisons, divided by commas')
    .parse([...args], { from: 'user' });
  const name = names.find((known) => known === command.args[0]);
  if (name === undefined) {
    process.stderr.write(`unknown benchmark "${command.args[0]}": one of ${names.join(', ')}\n`);
    return 2;
  }
  const { rounds, probes, agents, types, dryRun, only } = command.opts<{
    rounds: number;
    probes: number;
    agents: number;
    types?: string;
    dryRun?: true;
    only?: string;
  }>();
  await benchmarks[name].run({ rounds, probes, agents, types, isDryRun: dryRun === true, only });
  return 0;
}
