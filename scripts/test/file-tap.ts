/**
 * The TAP of one file, taken from the TAP of the process that runs it, where it is the one subtest:
 *
 *     # Subtest: agent/dist/src/a.test.js
 *         ok 1 - the file's first test
 *         1..1
 *     ok 1 - agent/dist/src/a.test.js
 */
export class FileTap {
  #rest = '';
  #hasPassed = false;

  /** Reads a chunk of the process's TAP. @returns the output that the file would have written by itself */
  read(chunk: string): string {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) if (/^ok \d+ - /.test(line)) this.#hasPassed = true;
    return lines
      .filter((line) => line.startsWith('    '))
      .map((line) => `${line.slice(4)}\n`)
      .join('');
  }

  /** True if the file has ended and passed. */
  get hasPassed(): boolean {
    return this.#hasPassed;
  }
}
