import type { FileLimits } from './file-watch.js';
import { neverRan, type RunOptions, runTestFile } from './run-file.js';
import type { FileOutcome } from './tap-reader.js';
import type { TestFile } from './test-files.js';
import { TestHost } from './test-host.js';

/** Runs files one after another: in one process for as long as that is fit, but those that must be alone. */
export class FileRunner {
  readonly #where: Pick<RunOptions, 'root' | 'env'>;
  #host: TestHost | null = null;

  constructor(where: Pick<RunOptions, 'root' | 'env'>) {
    this.#where = where;
  }

  /** @returns the file's outcome, and a failure of a process that could take no more and does not end */
  async run(file: TestFile, limits: FileLimits): Promise<FileOutcome[]> {
    if (file.isAlone) return [await runTestFile(file, { ...this.#where, ...limits })];
    try {
      this.#host ??= new TestHost(this.#where);
      const outcome = await this.#host.run(file, limits);
      return [outcome, ...(this.#host.isFit ? [] : await this.end())];
    } catch (error) {
      // no descriptors, or an environment that is too long: the run continues
      this.#host = null;
      return [neverRan(file, error)];
    }
  }

  /** Ends the process. @returns its failure to end */
  async end(): Promise<FileOutcome[]> {
    const failure = await this.#host?.end();
    this.#host = null;
    return failure ? [failure] : [];
  }
}
