/** Reads a stream of bytes line by line. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);
  #hasEnded = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next line without its end; null if there is none, or it has more than `maxBytes`. */
  async line(maxBytes: number): Promise<string | null> {
    for (;;) {
      const end = this.#rest.indexOf('\n');
      if (end > maxBytes || (end === -1 && this.#rest.length > maxBytes)) return null;
      if (end !== -1) {
        const text = this.#rest.toString('utf8', 0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return text;
      }
      if (!(await this.#fill())) return null;
    }
  }

  /** Whole lines up to one that is `last`, which is consumed. @throws Error if the stream ends before it */
  async *linesUntil(last: string): AsyncGenerator<Buffer> {
    const mark = Buffer.from(`${last}\n`);
    const inside = Buffer.from(`\n${last}\n`);
    for (;;) {
      const isNext = this.#rest.subarray(0, mark.length).equals(mark);
      const at = isNext ? 0 : this.#rest.indexOf(inside) + 1;
      if (isNext || at > 0) {
        if (at > 0) yield this.#rest.subarray(0, at);
        this.#rest = this.#rest.subarray(at + mark.length);
        return;
      }
      // the mark itself must not be cut: its last line waits for more
      const end = this.#rest.lastIndexOf('\n') + 1;
      if (end > 0) {
        yield this.#rest.subarray(0, end);
        this.#rest = this.#rest.subarray(end);
      }
      if (!(await this.#fill())) throw new Error(`no line "${last}"`);
    }
  }

  async #fill(): Promise<boolean> {
    const piece = await this.#next();
    if (piece !== null) this.#rest = Buffer.concat([this.#rest, piece]);
    return piece !== null;
  }

  async #next(): Promise<Buffer | null> {
    while (!this.#hasEnded) {
      const { done, value } = await this.#source.next();
      if (done) this.#hasEnded = true;
      else if (value.length > 0) return Buffer.from(value.buffer, value.byteOffset, value.length);
    }
    return null;
  }
}
