import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { FileRunner } from './test/file-runner.js';
import { failureText, judgeRun, progressLine, summary } from './test/report.js';
import { runFailedAgain } from './test/run-again.js';
import { runTestFile } from './test/run-file.js';
import type { FileOutcome } from './test/tap-reader.js';
import {
  inRunningOrder,
  isProgramSuite,
  listTestFiles,
  mayNeedDatabase,
  type SuiteName,
  selectTestFiles,
  suiteNames,
  type TestFile,
} from './test/test-files.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const timeoutSeconds = 300;
const longTimeoutSeconds = 1800;

interface Options {
  readonly tools?: true;
  readonly spawn?: true;
  readonly long?: true;
  readonly all?: true;
  readonly grep?: string;
  readonly jobs?: number;
}

/**
 * `npm test`: runs the compiled tests, a few files at once, each in a process of its own, against one PostgreSQL. It
 * reads their TAP itself: tap's own runner would put its loader and a coverage collector into every program that the
 * tests start and measure.
 * @returns the exit code: 0 when nothing failed and, with CI=true, nothing was skipped; then a file that passes the second time counts as passed
 */
export async function main(args: readonly string[]): Promise<number> {
  const { filters, options } = parseArguments(args);
  const isGate = process.env.CI === 'true';
  const files = selectTestFiles(listTestFiles(root), filters, suitesOf(options));
  if (files.length === 0) {
    process.stderr.write(`no test file matches ${filters.map((filter) => `"${filter}"`).join(', ')}\n`);
    return 1;
  }
  const interrupt = interruptSignal();
  const { outcomes, flaky } = await withDatabase(files, async (databaseUrl) => {
    const env = {
      ...process.env,
      ...(databaseUrl && { VANTAGE_TEST_DATABASE_URL: databaseUrl }),
      ...(options.grep && { TAP_GREP: options.grep }),
      ...((options.long || options.all) && { VANTAGE_TEST_ROUNDS: 'all' }),
    };
    const first = await runAll(files, { jobs: options.jobs ?? jobsFor(files), env, signal: interrupt.signal });
    if (!isGate || interrupt.signal.aborted) return { outcomes: first, flaky: [] };
    return runFailedAgain(first, async (file) => {
      process.stdout.write(`once more, alone: ${file.source}\n`);
      const outcome = await runTestFile(file, { root, env, timeoutSeconds: limitOf(file), signal: interrupt.signal });
      note(outcome);
      return outcome;
    });
  });
  const { exitCode, notes } = judgeRun(outcomes, { isComplete: isGate, flaky });
  process.stdout.write(`${summary(outcomes, notes)}\n`);
  return interrupt.signal.aborted ? interrupt.exitCode() : exitCode;
}

function suitesOf(options: Options): readonly SuiteName[] {
  if (options.all) return suiteNames;
  const asked = (['tools', 'spawn', 'long'] as const).filter((name) => options[name]);
  return asked.length === 0 ? ['daily'] : asked;
}

/**
 * Files at once: as many as there are processors, since each process loads all that it tests; half as many more of those that
 * start programs and wait for them.
 */
function jobsFor(files: readonly TestFile[]): number {
  return Math.ceil(availableParallelism() * (files.some(({ suite }) => isProgramSuite(suite)) ? 1.5 : 1));
}

function limitOf({ suite }: TestFile): number {
  return isProgramSuite(suite) ? longTimeoutSeconds : timeoutSeconds;
}

/** Reports a file that has ended. */
function note(outcome: FileOutcome): void {
  process.stdout.write(`${progressLine(outcome)}\n`);
  if (outcome.failed > 0) process.stdout.write(`${failureText(outcome)}\n`);
}

function parseArguments(args: readonly string[]): { filters: string[]; options: Options } {
  const command = new Command('npm test --')
    .argument('[path...]', 'only test files whose path contains one of these')
    .option('--tools', 'the files of tools that no user of Vantage runs: checks, the lab, benchmarks, this runner')
    .option('--spawn', 'the files that start programs again and again (*.spawn.test.ts)')
    .option('--long', 'the files that kill, flood, fuzz or load (*.long.test.ts)')
    .option('--all', 'every file')
    .option('--grep <pattern>', 'only tests whose name matches this regular expression (/…/i) or contains this text')
    .option('--jobs <count>', 'files at once', parseCount)
    .addHelpText(
      'after',
      '\nWith CI=true nothing may be skipped, and a file that fails runs once more, alone: if it passes then, it is named as flaky.',
    )
    .parse([...args], { from: 'user' });
  return { filters: command.args, options: command.opts<Options>() };
}

function parseCount(text: string): number {
  if (!/^[1-9]\d?$/.test(text)) throw new InvalidArgumentError('not a number from 1 to 99');
  return Number(text);
}

/** Runs `files`, at most `jobs` at once, and reports each as it ends. */
async function runAll(
  files: readonly TestFile[],
  { jobs, env, signal }: { readonly jobs: number; readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<FileOutcome[]> {
  const queue = inRunningOrder(files);
  const outcomes: FileOutcome[] = [];
  const keep = (outcome: FileOutcome) => {
    outcomes.push(outcome);
    note(outcome);
  };
  const work = async () => {
    const runner = new FileRunner({ root, env });
    for (let file = queue.shift(); file !== undefined && !signal.aborted; file = queue.shift())
      for (const outcome of await runner.run(file, { timeoutSeconds: limitOf(file), signal })) keep(outcome);
    for (const outcome of await runner.end()) keep(outcome);
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return outcomes;
}

/** Interface of a test database server (control-plane/test/_support/test-postgres.ts). */
interface TestPostgres {
  readonly url: string;
  stop(): Promise<void>;
}

/** Runs `work` with one PostgreSQL for the whole run, if a file may need it and none is configured. */
async function withDatabase<T>(
  files: readonly TestFile[],
  work: (databaseUrl: string | null) => Promise<T>,
): Promise<T> {
  const support = join(root, 'control-plane/dist/test/_support/test-postgres.js');
  if (process.env.VANTAGE_TEST_DATABASE_URL || !files.some(mayNeedDatabase) || !existsSync(support)) return work(null);
  const { startTestPostgres }: { startTestPostgres(): Promise<TestPostgres> } = await import(
    pathToFileURL(support).href
  );
  const postgres = await startTestPostgres();
  try {
    return await work(postgres.url);
  } finally {
    await postgres.stop().catch((error: unknown) => process.stderr.write(`cannot stop PostgreSQL: ${error}\n`));
  }
}

/**
 * Aborted by the first Ctrl-C or SIGTERM. A second one ends the process the hard way, but not within a second: npm passes
 * on what a terminal has sent to the whole process group already.
 */
function interruptSignal(): { signal: AbortSignal; exitCode(): number } {
  const controller = new AbortController();
  let exitCode = 0;
  let abortedAt = 0;
  const interrupt = (code: number) => {
    if (!controller.signal.aborted) {
      exitCode = code;
      abortedAt = Date.now();
      controller.abort();
    } else if (Date.now() - abortedAt > 1000) process.exit(code);
  };
  process.on('SIGINT', () => interrupt(130));
  process.on('SIGTERM', () => interrupt(143));
  process.on('SIGHUP', () => interrupt(129));
  return { signal: controller.signal, exitCode: () => exitCode };
}
