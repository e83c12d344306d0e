const KEPT_LINES = 60;

/** Events of a run as lines; a hash of all of them, and the last ones. */
export class Trace {
  readonly lines: string[] = [];
  #hash = 0x811c_9dc5;
  readonly #nowMs: () => number;

  constructor(
    nowMs: () => number,
    readonly isPrinted: boolean,
  ) {
    this.#nowMs = nowMs;
  }

  /** Equal for two runs in which the same happened at the same time. */
  get hash(): string {
    return this.#hash.toString(16).padStart(8, '0');
  }

  /** `text` must follow from the seed alone: no keys, nonces or epochs. */
  add(who: string, text: string): void {
    const line = `${(this.#nowMs() / 1000).toFixed(3).padStart(10)} ${who.padEnd(8)} ${text}`;
    for (let i = 0; i < line.length; i += 1) this.#hash = Math.imul(this.#hash ^ line.charCodeAt(i), 0x0100_0193) >>> 0;
    if (this.isPrinted) process.stdout.write(`${line}\n`);
    this.lines.push(line);
    if (this.lines.length > 2 * KEPT_LINES) this.lines.splice(0, KEPT_LINES);
  }

  /** The last lines. */
  get tail(): readonly string[] {
    return this.lines.slice(-KEPT_LINES);
  }
}
