import type { FileOutcome } from './tap-reader.js';
import type { TestFile } from './test-files.js';

/** Outcomes of a run in which files that had failed ran once more. */
interface RunAgain {
  /** Those that count: of a file that ran again, the second. */
  readonly outcomes: readonly FileOutcome[];
  /** First outcomes of files that passed then. */
  readonly flaky: readonly FileOutcome[];
}

/** Runs each file that has failed once more, one after another. `run`: runs one alone. */
export async function runFailedAgain(
  outcomes: readonly FileOutcome[],
  run: (file: TestFile) => Promise<FileOutcome>,
): Promise<RunAgain> {
  const failed = outcomes.filter(({ failed: count }) => count > 0);
  const again = new Map<string, FileOutcome>();
  for (const { file } of failed) if (!again.has(file.source)) again.set(file.source, await run(file));
  return {
    outcomes: [...outcomes.filter(({ file }) => !again.has(file.source)), ...again.values()],
    flaky: failed.filter(({ file }) => again.get(file.source)?.failed === 0),
  };
}
