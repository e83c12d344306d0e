/** Characters of a line that is no count any more. */
const MAX_LINE_LENGTH = 12;

/** Reads the counts of a /speedtest: decimal numbers, one a line, never less than before and never more than was sent. */
export class ProgressLines {
  readonly #sent: () => number;
  #rest = '';
  #count = 0;

  /** `sent`: how many bytes have been sent by now. */
  constructor(sent: () => number) {
    this.#sent = sent;
  }

  /** The latest count; null once what came cannot be one. */
  push(bytes: Buffer): number | null {
    const lines = (this.#rest + bytes.toString('latin1')).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > MAX_LINE_LENGTH) return null;
    for (const line of lines) {
      const count = /^\d{1,12}$/.test(line) ? Number(line) : -1;
      if (count < this.#count || count > this.#sent()) return null;
      this.#count = count;
    }
    return this.#count;
  }
}
