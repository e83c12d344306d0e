import { cutText, textWidth } from './text-width.js';

/** Output of progress: standard error of a program. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const USUAL_WIDTH = 80;
const CLEAR_LINE = '\r\u001b[K';

/**
 * Status of work that takes a while: on a terminal one line that is overwritten, cut to the width; elsewhere a line for
 * each step, without the count of seconds, or nothing if the caller wants no lines there.
 */
export class Progress {
  #shown = '';
  #step = '';

  constructor(
    private readonly output: ProgressOutput,
    private readonly elsewhere: 'lines' | 'nothing' = 'nothing',
  ) {}

  /** Shows a step, with a detail that changes often, such as a countdown. */
  show(step: string, detail = ''): void {
    if (this.output.isTTY === true) this.#overwrite(detail === '' ? step : `${step}, ${detail}`);
    else if (this.elsewhere === 'lines' && step !== this.#step) this.output.write(`${step}\n`);
    this.#step = step;
  }

  /** Removes the line; what is printed next begins at its place. */
  clear(): void {
    if (this.#shown === '') return;
    this.output.write(CLEAR_LINE);
    this.#shown = '';
  }

  #overwrite(text: string): void {
    // a line as wide as the terminal would move the cursor to the next one
    const line = cutText(text, (this.output.columns ?? USUAL_WIDTH) - 1);
    if (line === this.#shown) return;
    this.output.write(textWidth(line) === 0 ? CLEAR_LINE : `${CLEAR_LINE}${line}`);
    this.#shown = line;
  }
}
