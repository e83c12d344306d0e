import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { makeScratchDirectory, type ScratchDirectory } from '../scratch-directory.js';
import { Recorder } from './recorder.js';
import { isClean, renderReport } from './report.js';
import { runNemesis } from './run.js';
import { planFaults } from './schedule.js';
import { unmountBelow } from './small-disk.js';
import type { CleanUps } from './world.js';

const DIRECTORY_PREFIX = 'vantage-nemesis-';
/** Exit codes: 1 a breach, 2 wrong options, 130 interrupted. */
const INTERRUPTED = 130;

interface Options {
  readonly seed: number;
  readonly minutes: number;
  readonly replicas: number;
  readonly agents: number;
  readonly json?: true;
  readonly plan?: true;
}

/** Breaks a whole Vantage of real processes in every way it knows, mends it, and checks what must be true. Exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const command = new Command('npm run nemesis --')
    .description(
      'Run PostgreSQL, control planes and agents as real processes on this machine, request probes at a steady rate, and\n' +
        'kill, stop and disconnect them by a schedule derived from a seed. When everything works again, compare what was seen\n' +
        'from outside with what is stored: docs/faults.md describes the invariants.',
    )
    .option('--seed <n>', 'seed of the schedule of faults; the same seed gives the same schedule', whole, randomSeed())
    .option('--minutes <n>', 'duration of the faults', positive, 10)
    .option('--replicas <n>', 'control planes', whole, 3)
    .option('--agents <n>', 'agents', whole, 3)
    .option('--plan', 'only print the schedule')
    .option('--json', 'print the report as one JSON document')
    .addHelpText('after', '\nExit code: 0 no violation was found, 1 a violation was found, 130 interrupted.')
    .exitOverride();
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    return (error as { exitCode?: number }).exitCode === 0 ? 0 : 2;
  }
  const options = command.opts<Options>();
  if (options.plan) return printPlan(options);
  // NOTE: without this, Node 20 was seen to free its handles endlessly after thousands of reset sockets
  return process.exit(await breakThings(options));
}

function printPlan(options: Options): number {
  for (const { atMs, forMs, kind, strike } of planFaults({ ...options, durationMs: options.minutes * 60_000 })) {
    process.stdout.write(`${seconds(atMs)} for ${seconds(forMs)}  ${kind}: ${strike.says}\n`);
  }
  return 0;
}

async function breakThings(options: Options): Promise<number> {
  const scratch = await makeScratchDirectory({ prefix: DIRECTORY_PREFIX, release: unmountBelow });
  const directory = scratch.path;
  await mkdir(join(directory, 'logs'));
  const interrupted = interruption();
  const cleanUps: CleanUps = [];
  const begin = performance.now();
  const say = (line: string) => void process.stderr.write(`${seconds(performance.now() - begin)}  ${line}\n`);
  let isKept = true;
  try {
    const recorder = new Recorder(join(directory, 'history.jsonl'));
    const work = runNemesis({ ...options, directory, recorder, say, signal: interrupted.signal }, cleanUps);
    work.catch(() => {});
    const report = await Promise.race([work, interrupted.promise]);
    if (report === null) {
      isKept = false;
      return INTERRUPTED;
    }
    process.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : renderReport(report));
    isKept = !isClean(report);
    return isClean(report) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`nemesis: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    for (let end = cleanUps.pop(); end; end = cleanUps.pop()) await end().catch(() => {});
    if (isKept) await keepForPeople(scratch);
    else await scratch.remove().catch(() => {});
  }
}

/** Ctrl-C and its like: null, once. */
function interruption(): { readonly promise: Promise<null>; readonly signal: AbortSignal } {
  const aborter = new AbortController();
  const promise = new Promise<null>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(name, () => {
        aborter.abort();
        resolve(null);
      });
    }
  });
  return { promise, signal: aborter.signal };
}

async function keepForPeople(scratch: ScratchDirectory): Promise<void> {
  await scratch.keep();
  process.stderr.write(`logs and history: ${scratch.path}\n`);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1).padStart(6)} s`;
}

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('must be a whole number above 0');
  return value;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < 10_000)) throw new InvalidArgumentError('must be a number above 0');
  return value;
}

function randomSeed(): number {
  return 1 + Math.floor(Math.random() * 1_000_000);
}
