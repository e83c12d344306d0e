/** One line on standard error that is written over while somebody watches; nothing at all when nobody does. */
export class Progress {
  readonly #isWatched = process.stderr.isTTY === true;
  #length = 0;

  show(text: string): void {
    if (!this.#isWatched) return;
    process.stderr.write(`\r${text.padEnd(this.#length)}`);
    this.#length = text.length;
  }

  clear(): void {
    if (!this.#isWatched || this.#length === 0) return;
    process.stderr.write(`\r${' '.repeat(this.#length)}\r`);
    this.#length = 0;
  }
}
