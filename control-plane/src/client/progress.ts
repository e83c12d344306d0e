/** Progress line that is overwritten on a terminal; without a terminal nothing is written. */
export class Progress {
  #length = 0;

  constructor(private readonly output: { readonly isTTY?: boolean; write(text: string): unknown }) {}

  show(text: string): void {
    if (this.output.isTTY !== true) return;
    this.output.write(`\r${text.padEnd(this.#length)}`);
    this.#length = text.length;
  }

  clear(): void {
    if (this.#length === 0) return;
    this.output.write(`\r${' '.repeat(this.#length)}\r`);
    this.#length = 0;
  }
}
