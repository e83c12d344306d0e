import { Command } from 'commander';
import { runManySeeds } from './simulation/many-seeds.js';
import { runForOutcome, type SeedOutcome } from './simulation/seed-outcome.js';

/** Seeds that are run when nothing is said. */
const SEEDS = 1_000;

/** `npm run simulate -- --seed N [--seeds M] [--trace]`. @returns the exit code */
export async function main(args: readonly string[]): Promise<number> {
  const command = new Command('simulate')
    .description('Runs agents, control planes and a database in one process, with virtual time and seeded faults.')
    .option('--seed <number>', 'the first seed', Number, 1)
    .option('--seeds <number>', `how many; ${SEEDS} unless --seed says which`, Number)
    .option('--trace', 'print what happens', false);
  command.parse([...args], { from: 'user' });
  const { seed, seeds, trace } = command.opts<{ seed: number; seeds?: number; trace: boolean }>();
  const count = seeds ?? (args.includes('--seed') ? 1 : SEEDS);
  if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(count) || count < 1) {
    process.stderr.write('simulate: --seed and --seeds take whole numbers\n');
    return 2;
  }
  return await runSeeds(seed, count, trace);
}

async function runSeeds(first: number, count: number, isTraced: boolean): Promise<number> {
  const startedMs = performance.now();
  const cpuBefore = process.cpuUsage();
  let failed = 0;
  let events = 0;
  let virtualMs = 0;
  const onOutcome = (outcome: SeedOutcome) => {
    events += outcome.events;
    virtualMs += outcome.virtualMs;
    if (outcome.failure === null) return;
    failed += 1;
    process.stdout.write(outcome.failure);
  };
  // a trace is for one seed, and goes to standard output line by line
  if (isTraced)
    for (let seed = first; seed < first + count; seed += 1) onOutcome(await runForOutcome(seed, { isTraced }));
  else await runManySeeds({ first, count, onOutcome });
  const seconds = (performance.now() - startedMs) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuMs = (user + system) / 1_000 / count;
  process.stdout.write(
    `${count} seeds, ${failed} with a breach; ${(virtualMs / 3_600_000).toFixed(1)} hours, ${events} events in ${seconds.toFixed(1)} s, ${cpuMs.toFixed(1)} ms of CPU each\n`,
  );
  return failed === 0 ? 0 : 1;
}
