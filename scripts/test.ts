import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { readProgramTree } from './check/programs.js';
import { makeBarePath } from './test/bare-path.js';
import { FileRunner } from './test/file-runner.js';
import { untilProcessorsIdle } from './test/idle-processors.js';
import { familyCpuMs } from './test/process-group.js';
import { cpuNote, failureText, judgeRun, progressLine, summary } from './test/report.js';
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
  readonly bare?: true;
  readonly withPrograms?: true;
}

/**
 * `npm test`: runs the compiled tests, a few files at once, each in a process of its own, against one PostgreSQL. It
 * reads their TAP itself: tap's own runner would put its loader and a coverage collector into every program that the
 * tests start and measure.
 * @returns the exit code: 0 when nothing failed and, with CI=true, nothing was skipped; then a file that passes the second time counts as passed
 */
export async function main(args: readonly string[]): Promise<number> {
  const { filters, options } = parseArguments(args);
  if (!options.bare) return runTests(filters, options);
  const bare = await makeBarePath();
  process.stdout.write(`${bare.description}\n`);
  process.env.PATH = bare.path;
  // this run is about its skips
  delete process.env.CI;
  try {
    return await runTests(filters, options);
  } finally {
    await bare.remove();
  }
}

async function runTests(filters: readonly string[], options: Options): Promise<number> {
  const isGate = process.env.CI === 'true';
  const files = selectTestFiles(listFiles(options), filters, suitesOf(options));
  if (files.length === 0) {
    process.stderr.write(`no test file matches ${filters.map((filter) => `"${filter}"`).join(', ')}\n`);
    return 1;
  }
  const interrupt = interruptSignal();
  const { outcomes, flaky, databaseMs } = await withDatabase(files, async (database) => {
    const env = {
      ...process.env,
      ...(database && { VANTAGE_TEST_DATABASE_URL: database.url }),
      ...(options.grep && { TAP_GREP: options.grep }),
      ...((options.long || options.all) && { VANTAGE_TEST_ROUNDS: 'all' }),
    };
    const cpuMs = () => (database === null ? 0 : familyCpuMs(database.pid));
    const jobs = options.jobs ?? jobsFor(files);
    const first = await runAll(files, { jobs, env, signal: interrupt.signal, databaseCpuMs: cpuMs });
    const databaseMs = database && cpuMs();
    if (!isGate || interrupt.signal.aborted) return { outcomes: first, flaky: [], databaseMs };
    const again = await runFailedAgain(first, async (file) => {
      process.stdout.write(`once more, alone: ${file.source}\n`);
      const outcome = await runTestFile(file, { root, env, timeoutSeconds: limitOf(file), signal: interrupt.signal });
      note(outcome);
      return outcome;
    });
    return { ...again, databaseMs };
  });
  const { exitCode, notes } = judgeRun(outcomes, { isComplete: isGate, flaky });
  const { user, system } = process.cpuUsage();
  const cpu = cpuNote(outcomes, { databaseMs, runnerMs: (user + system) / 1_000 });
  process.stdout.write(`${summary(outcomes, [cpu, ...notes])}\n`);
  return interrupt.signal.aborted ? interrupt.exitCode() : exitCode;
}

function suitesOf(options: Options): readonly SuiteName[] {
  if (options.all) return suiteNames;
  const asked = (['tools', 'spawn', 'long'] as const).filter((name) => options[name]);
  return asked.length === 0 ? ['daily'] : asked;
}

/**
 * Files at once: as many as there are processors, since each process loads all that it tests. Of files that start programs and
 * wait for them, twice as many, as far as processors are idle.
 */
function jobsFor(files: readonly TestFile[]): number {
  return availableParallelism() * (files.some(({ suite }) => isProgramSuite(suite)) ? 2 : 1);
}

function limitOf({ suite }: TestFile): number {
  return isProgramSuite(suite) ? longTimeoutSeconds : timeoutSeconds;
}

/** Tells about a file that has ended. */
function note(outcome: FileOutcome): void {
  process.stdout.write(`${progressLine(outcome)}\n`);
  if (outcome.failed > 0) process.stdout.write(`${failureText(outcome)}\n`);
}

function listFiles({ withPrograms }: Options): TestFile[] {
  const files = listTestFiles(root);
  if (!withPrograms) return files;
  const starting = new Set(readProgramTree(root).testFiles());
  return files.filter(({ source }) => starting.has(source));
}

function parseArguments(args: readonly string[]): { filters: string[]; options: Options } {
  const command = new Command('npm test --')
    .argument('[path...]', 'only test files whose path contains one of these')
    .option('--tools', 'the files of tools that no user of Vantage runs: checks, the lab, benchmarks, this runner')
    .option('--spawn', 'the files that start programs again and again (*.spawn.test.ts)')
    .option('--long', 'the files that kill, flood, fuzz or load (*.long.test.ts)')
    .option('--all', 'every file')
    .option('--grep <pattern>', 'only tests whose name matches this regular expression (/…/i) or contains this text')
    .option('--jobs <count>', 'files at once; with 1, the CPU time of PostgreSQL is told for each file', parseCount)
    .option(
      '--bare',
      'with the programs that README.md asks for and those of every Debian; what needs others is skipped',
    )
    .option('--with-programs', 'only test files that start programs which README.md does not ask for')
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

/**
 * Runs `files`, at most `jobs` at once, and tells about each as it ends. Of long ones there are no more than processors while
 * these have no idle time.
 */
async function runAll(
  files: readonly TestFile[],
  {
    jobs,
    env,
    signal,
    databaseCpuMs,
  }: {
    readonly jobs: number;
    readonly env: NodeJS.ProcessEnv;
    readonly signal: AbortSignal;
    readonly databaseCpuMs: () => number;
  },
): Promise<FileOutcome[]> {
  const queue = inRunningOrder(files);
  const outcomes: FileOutcome[] = [];
  const keep = (outcome: FileOutcome) => {
    outcomes.push(outcome);
    note(outcome);
  };
  const isOver = () => queue.length === 0 || signal.aborted;
  const work = async (_: unknown, index: number) => {
    const runner = new FileRunner({ root, env });
    for (;;) {
      // short files are over before the next look
      if (index >= availableParallelism() && queue[0] !== undefined && isProgramSuite(queue[0].suite))
        await untilProcessorsIdle(isOver);
      const file = queue.shift();
      if (file === undefined || signal.aborted) break;
      const before = databaseCpuMs();
      const [outcome, ...more] = await runner.run(file, { timeoutSeconds: limitOf(file), signal });
      // beside other files, nobody knows for which of them PostgreSQL worked
      if (outcome) keep(jobs === 1 ? { ...outcome, databaseMs: databaseCpuMs() - before } : outcome);
      for (const one of more) keep(one);
    }
    for (const outcome of await runner.end()) keep(outcome);
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return outcomes;
}

/** Interface of a test database server (control-plane/test/_support/test-postgres.ts). */
interface TestPostgres {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Runs `work` with one PostgreSQL for the whole run, if a file may need it and none is configured. */
async function withDatabase<T>(
  files: readonly TestFile[],
  work: (database: Pick<TestPostgres, 'url' | 'pid'> | null) => Promise<T>,
): Promise<T> {
  const support = join(root, 'control-plane/dist/test/_support/test-postgres.js');
  if (process.env.VANTAGE_TEST_DATABASE_URL || !files.some(mayNeedDatabase) || !existsSync(support)) return work(null);
  const { startTestPostgres }: { startTestPostgres(): Promise<TestPostgres> } = await import(
    pathToFileURL(support).href
  );
  const postgres = await startTestPostgres();
  try {
    return await work(postgres);
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
