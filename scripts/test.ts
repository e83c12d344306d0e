import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { failureText, judgeRun, progressLine, summary } from './test/report.js';
import { runTestFile } from './test/run-file.js';
import type { FileOutcome } from './test/tap-reader.js';
import { listTestFiles, mayNeedDatabase, selectTestFiles, type TestFile } from './test/test-files.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const isCi = process.env.CI === 'true';
const timeoutSeconds = 120;
const longTimeoutSeconds = 1200;

interface Options {
  readonly grep?: string;
  readonly jobs: number;
}

/**
 * `npm test`: runs the compiled tests, a few files at once, each in a process of its own, against one PostgreSQL. It
 * reads their TAP itself: tap's own runner would put its loader and a coverage collector into every program that the
 * tests start and measure.
 * @returns the exit code: 0 when nothing failed and, with CI=true, nothing was skipped
 */
export async function main(args: readonly string[]): Promise<number> {
  const { filters, options } = parseArguments(args);
  const files = selectTestFiles(listTestFiles(root), filters, isCi);
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

function parseArguments(args: readonly string[]): { filters: string[]; options: Options } {
  const command = new Command('npm test --')
    .argument('[path...]', 'only test files whose path contains one of these')
    .option('--grep <pattern>', 'only tests whose name matches this regular expression (/…/i) or contains this text')
    .option('--jobs <count>', 'files at once', parseCount, Math.min(4, availableParallelism() + 1))
    .addHelpText('after', '\nCI=true adds the long suites (*.long.test.ts) and lets nothing be skipped.')
    .parse([...args], { from: 'user' });
  return { filters: command.args, options: command.opts<Options>() };
}

function parseCount(text: string): number {
  if (!/^[1-9]\d?$/.test(text)) throw new InvalidArgumentError('not a number from 1 to 99');
  return Number(text);
}

/** Runs `files`, at most `jobs` at once, and tells about each as it ends. */
async function runAll(
  files: readonly TestFile[],
  jobs: number,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<FileOutcome[]> {
  const queue = [...files].sort((a, b) => Number(b.isLong) - Number(a.isLong));
  const outcomes: FileOutcome[] = [];
  const work = async () => {
    for (let file = queue.shift(); file !== undefined && !signal.aborted; file = queue.shift()) {
      const limit = file.isLong ? longTimeoutSeconds : timeoutSeconds;
      const outcome = await runTestFile(file, { root, env, timeoutSeconds: limit, signal });
      outcomes.push(outcome);
      process.stdout.write(`${progressLine(outcome)}\n`);
      if (outcome.failed > 0) process.stdout.write(`${failureText(outcome)}\n`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return outcomes;
}

/** What a test database server offers (control-plane/test/_support/test-postgres.ts). */
interface TestPostgres {
  readonly url: string;
  stop(): Promise<void>;
}

/** Runs `work` beside one PostgreSQL for the whole run, when a file may need it and none was given. */
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
    await postgres.stop();
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
