import { Command } from 'commander';
import { benchApi } from './api.js';
import { benchMainRoad } from './main-road.js';

/** The one list of benchmarks: name, what it measures, how to run it. */
const benchmarks = {
  'main-road': { summary: 'a probe from POST to result, and what agent and control plane cost', run: benchMainRoad },
  api: { summary: 'what credentials, limits and validation cost a request', run: benchApi },
} as const;

/** `npm run bench -- NAME`: measures, prints the report and writes it to docs/benchmarks.md. Exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const names = Object.keys(benchmarks) as (keyof typeof benchmarks)[];
  const command = new Command('npm run bench --')
    .argument('<name>', names.map((name) => `${name}: ${benchmarks[name].summary}`).join('; '))
    .option('--rounds <n>', 'rounds of each measurement', Number, 5)
    .option('--dry-run', 'print the report only')
    .parse([...args], { from: 'user' });
  const name = names.find((known) => known === command.args[0]);
  if (name === undefined) {
    process.stderr.write(`unknown benchmark "${command.args[0]}": one of ${names.join(', ')}\n`);
    return 2;
  }
  const { rounds, dryRun } = command.opts<{ rounds: number; dryRun?: true }>();
  await benchmarks[name].run({ rounds, isDryRun: dryRun === true });
  return 0;
}
