import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { AgentSide } from './agent-side.js';
import { ControlPlaneSide } from './control-plane-side.js';
import { type FuzzReport, fuzz, inputOf } from './fuzz.js';
import type { FuzzSide } from './side.js';

const starts = {
  'control-plane': () => ControlPlaneSide.start(),
  agent: () => AgentSide.start(),
} as const;
type SideName = keyof typeof starts;
const sideNames = Object.keys(starts) as SideName[];

/** Greatest time for decoding one input, in milliseconds. */
const MAX_DECODE_MS = 50;

interface Options {
  readonly inputs: number;
  readonly seed: number;
  readonly side?: SideName;
  readonly replay?: string;
}

/** `npm run fuzz -- link`: gives both sides of the link frames that no honest peer sends. Exit code: 1 when one did harm. */
export async function main(args: readonly string[]): Promise<number> {
  const command = new Command('npm run fuzz --')
    .description('Send mutated golden frames to the real link server and the real agent session over real sockets.')
    .argument('<what>', 'link')
    .option('--inputs <n>', 'number of inputs, divided between the two sides', parseCount, 20_000)
    .option(
      '--seed <n>',
      'seed of an earlier run, to repeat it (default: a new seed, which is printed)',
      parseCount,
      randomInt(2 ** 31),
    )
    .option('--side <name>', `only this side: ${sideNames.join(' or ')}`)
    .option('--replay <name>', 'repeat one input from its file, SIDE-SEED-INDEX.bin')
    .addHelpText(
      'after',
      '\nA harmful input is written to SIDE-SEED-INDEX.bin in this directory.\nExit code: 0 no harmful input, 1 a harmful input, 2 wrong usage.',
    )
    .exitOverride()
    .parse([...args], { from: 'user' });
  const options = command.opts<Options>();
  if (command.args[0] !== 'link' || (options.side !== undefined && !sideNames.includes(options.side))) {
    process.stderr.write(`unknown part or side: ${args.join(' ')}\n`);
    return 2;
  }
  if (options.replay !== undefined) return replay(options.replay);
  process.stdout.write(`seed ${options.seed}\n`);
  const names = options.side === undefined ? sideNames : [options.side];
  const inputs = Math.ceil(options.inputs / names.length);
  let failed = 0;
  for (const name of names) failed += await run(name, { ...options, inputs }, 0);
  return failed === 0 ? 0 : 1;
}

function parseCount(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('not a whole number');
  return value;
}

/** @returns how many inputs did harm, 0 or 1 */
async function run(name: SideName, { seed, inputs }: Options, first: number): Promise<number> {
  const side = await starts[name]();
  const startedMs = performance.now();
  let shownMs = startedMs;
  const onProgress = (done: number) => {
    if (performance.now() - shownMs < 5_000) return;
    shownMs = performance.now();
    const perSecond = (done * 1_000) / (shownMs - startedMs);
    const leftMinutes = (inputs - done) / perSecond / 60;
    process.stdout.write(
      `${name}: ${done} of ${inputs}, ${perSecond.toFixed(0)} a second, ${leftMinutes.toFixed(0)} minutes left\n`,
    );
  };
  const stopping = new AbortController();
  const onInterrupt = () => stopping.abort();
  process.once('SIGINT', onInterrupt).once('SIGTERM', onInterrupt);
  const timed = await fuzz({ side, seed, first, inputs, onProgress, signal: stopping.signal });
  process.off('SIGINT', onInterrupt).off('SIGTERM', onInterrupt);
  const report = judgeTime(timed);
  process.stdout.write(`${describe(name, report)}\n`);
  if (report.finding !== null) keep(side, seed, report.finding);
  await side.stop();
  return report.finding === null ? 0 : 1;
}

/** A frame that blocks the loop for longer than this harms everybody else. */
function judgeTime(report: FuzzReport): FuzzReport {
  if (report.finding !== null || report.slowestMs <= MAX_DECODE_MS) return report;
  const what = `decoding took ${report.slowestMs.toFixed(0)} ms, ten times out of ten`;
  return { ...report, finding: { what, index: report.slowestIndex } };
}

function describe(name: SideName, report: FuzzReport): string {
  const { growth } = report;
  const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  return [
    `${name}: ${report.inputs} inputs in ${report.seconds.toFixed(0)} s`,
    `memory held grew by ${megabytes(growth.heldBytes)}, resident by ${megabytes(growth.residentBytes)}, steadily by ${megabytes(growth.residentTrendBytes)}`,
    `slowest to decode ${report.slowestMs.toFixed(1)} ms (input ${report.slowestIndex})`,
    report.finding === null ? 'no harm' : `HARM: ${report.finding.what} (input ${report.finding.index ?? 'unknown'})`,
  ].join('; ');
}

function keep(side: FuzzSide, seed: number, { index }: NonNullable<FuzzReport['finding']>): void {
  if (index === null) return;
  const file = `${side.name}-${seed}-${index}.bin`;
  writeFileSync(file, inputOf(side, seed, index).input.bytes);
  process.stdout.write(`stored as ${file}; repeat with: npm run fuzz -- link --replay ${file}\n`);
}

async function replay(file: string): Promise<number> {
  const [, name, seed, index] = /(control-plane|agent)-(\d+)-(\d+)\.bin$/.exec(file) ?? [];
  if (name === undefined) {
    process.stderr.write(`"${file}" is not of the form SIDE-SEED-INDEX.bin\n`);
    return 2;
  }
  const failed = await run(name as SideName, { seed: Number(seed), inputs: 1 }, Number(index));
  return failed === 0 ? 0 : 1;
}
