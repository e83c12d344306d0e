import { inspect } from 'node:util';
import { Parser, type Result, type TapError } from 'tap-parser';
import { stringify } from './diagnostics.js';
import type { TestFile } from './test-files.js';

/** One test that was not run, and why. */
export interface Skip {
  /** Names from the outermost test inwards. */
  readonly path: readonly string[];
  readonly reason: string;
}

/** One assertion that did not hold, or one thing wrong with a whole file. */
export interface Failure {
  readonly path: readonly string[];
  /** Found and expected value and the location, for people. */
  readonly details: string;
}

/** Outcome of one file's tests. A test is a test point of the file itself; nested points are part of it. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  /** Skipped (or `todo`) test points of any depth. */
  readonly skips: readonly Skip[];
  readonly failures: readonly Failure[];
}

/** Outcome of running a file. */
export interface FileOutcome extends Outcome {
  readonly file: TestFile;
  readonly durationMs: number;
  /** User and system time of the processes it started and waited for, its own included. */
  readonly cpuMs: number;
  readonly stderr: string;
}

/** Reads the TAP of one test file. Tests that a name pattern (TAP_GREP) left out are neither passed nor skipped. */
export class TapReader {
  #passed = 0;
  #failed = 0;
  readonly #skips: Skip[] = [];
  readonly #failures: Failure[] = [];
  readonly #parser = new Parser();
  #isFilteredOut = false;
  #isUnreadable = false;

  constructor() {
    this.#follow(this.#parser, []);
  }

  write(chunk: Buffer): void {
    this.#reading(() => this.#parser.write(chunk));
  }

  /** The stream is over; what it lacks (a plan, a test) becomes a failure. */
  end(): void {
    this.#reading(() => this.#parser.end());
    const results = this.#parser.results;
    if (results?.plan.skipAll && !this.#isFilteredOut)
      this.#skips.push({ path: [], reason: results.plan.skipReason || 'tests nothing' });
    for (const error of results?.failures ?? []) if (isTapError(error)) this.fail(error.tapError);
    if (results?.bailout) this.fail(`bailed out: ${results.bailout}`);
    else if (!this.#hasOutcome) this.fail('tells of no test');
  }

  /** Counts one failure of the whole file, unless one of its tests failed already. */
  fail(complaint: string): void {
    if (complaint.startsWith('exited with code') && this.#failed > 0) return;
    this.#failed += 1;
    this.#failures.push({ path: [], details: complaint });
  }

  get #hasOutcome(): boolean {
    return this.#passed + this.#failed + this.#skips.length > 0 || this.#isFilteredOut;
  }

  outcome(): Outcome {
    // A file that died before its first test has skipped nothing.
    const skips = this.#failed > 0 ? this.#skips.filter(({ path }) => path.length > 0) : this.#skips;
    return { passed: this.#passed, failed: this.#failed, skips, failures: this.#failures };
  }

  /** A file may write anything: what the parser does not survive is that file's failure, reported once. */
  #reading(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (!this.#isUnreadable)
        this.fail(`cannot read its TAP: ${error instanceof Error ? error.message : inspect(error)}`);
      this.#isUnreadable = true;
    }
  }

  #follow(parser: Parser, path: readonly string[]): void {
    const failuresBefore = this.#failures.length;
    parser.on('child', (child: Parser) => this.#follow(child, [...path, child.name]));
    parser.on('assert', (result: Result) => {
      const here = [...path, result.name];
      if (result.skip !== false || result.todo !== false) return this.#noteSkip(result, here);
      if (path.length === 0) this.#count(result.ok);
      // The point that closes a failed subtest repeats known failures, unless nothing inside it failed.
      const isRepetition =
        result.closingTestPoint && this.#failures.slice(failuresBefore).some((failure) => isInside(failure.path, here));
      if (!result.ok && !isRepetition) this.#failures.push({ path: here, details: stringify(result.diag) });
    });
  }

  #count(isOk: boolean): void {
    if (isOk) this.#passed += 1;
    else this.#failed += 1;
  }

  #noteSkip(result: Result, path: readonly string[]): void {
    const reason = result.skip === false ? `to do: ${result.todo}` : result.skip;
    if (typeof reason === 'string' && reason.startsWith('filter: ')) this.#isFilteredOut = true;
    else this.#skips.push({ path, reason: typeof reason === 'string' ? reason : 'no reason given' });
  }
}

function isInside(path: readonly string[], outer: readonly string[]): boolean {
  return outer.every((name, index) => path[index] === name);
}

function isTapError(error: TapError): error is { tapError: string } {
  return typeof error.tapError === 'string';
}
