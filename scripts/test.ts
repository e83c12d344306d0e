import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { readProgramTree } from './check/programs.js';
import { makeBarePath } from './test/bare-path.js';
import { FileRunner } from './test/file-runner.js';
import { untilProcessorsIdle } from './test/idle-processors.js';
import { failureText, judgeRun, progressLine, summary } from './test/report.js';
import type { FileOutcome } from './test/tap-reader.js';
import { inRunningOrder, listTestFiles, mayNeedDatabase, selectTestFiles, type TestFile } from './test/test-files.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const timeoutSeconds = 300;
const longTimeoutSeconds = 1800;

interface Options {
  readonly grep?: string;
  readonly jobs: number;
  readonly bare?: true;
  readonly withPrograms?: true;
}

/**
 * `npm test`: runs the compiled tests, a few files at once, each in a process of its own, against one PostgreSQL. It
 * reads their TAP itself: tap's own runner would put its loader and a coverage collector into every program that the
 * tests start and measure.
 * @returns the exit code: 0 when nothing failed and, with CI=true, nothing was skipped
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
  const isCi = process.env.CI === 'true';
  const files = selectTestFiles(listFiles(options), filters, isCi);
  if (files.length === 0) {
    process.stderr.write(`no test file matches ${filters.map((filter) => `"${filter}"`).join(', ')}\n`);
    return 1;
  }
  const interrupt = interruptSignal();
  const outcomes = await withDatabase(files, (databaseUrl) => {
    const env = {
      ...process.env,
      ...(databaseUrl && { VANTAGE_TEST_DATABASE_URL: databaseUrl }),
      ...(options.grep && { TAP_GREP: options.grep }),
    };
    return runAll(files, options.jobs, env, interrupt.signal);
  });
  const { exitCode, notes } = judgeRun(outcomes, isCi);
  process.stdout.write(`${summary(outcomes, notes)}\n`);
  return interrupt.signal.aborted ? interrupt.exitCode() : exitCode;
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
    .option('--grep <pattern>', 'only tests whose name matches this regular expression (/…/i) or contains this text')
    .option('--jobs <count>', 'files at once', parseCount, Math.min(6, 2 * availableParallelism()))
    .option(
      '--bare',
      'with the programs that README.md asks for and those of every Debian; what needs others is skipped',
    )
    .option('--with-programs', 'only test files that start programs which README.md does not ask for')
    .addHelpText('after', '\nCI=true adds the long suites (*.long.test.ts) and lets nothing be skipped.')
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
  jobs: number,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<FileOutcome[]> {
  const queue = inRunningOrder(files);
  const outcomes: FileOutcome[] = [];
  const note = (outcome: FileOutcome) => {
    outcomes.push(outcome);
    process.stdout.write(`${progressLine(outcome)}\n`);
    if (outcome.failed > 0) process.stdout.write(`${failureText(outcome)}\n`);
  };
  const isOver = () => queue.length === 0 || signal.aborted;
  const work = async (_: unknown, index: number) => {
    const runner = new FileRunner({ root, env });
    for (;;) {
      // short files are over before the next look
      if (index >= availableParallelism() && queue[0]?.isLong) await untilProcessorsIdle(isOver);
      const file = queue.shift();
      if (file === undefined || signal.aborted) break;
      const limit = file.isLong ? longTimeoutSeconds : timeoutSeconds;
      for (const outcome of await runner.run(file, { timeoutSeconds: limit, signal })) note(outcome);
    }
    for (const outcome of await runner.end()) note(outcome);
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
async function withDatabase<T>(files: readonly TestFile[], work: (url: string | null) => Promise<T>): Promise<T> {
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
