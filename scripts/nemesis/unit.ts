import { RealProcess, type RealProcessOptions } from './real-process.js';
import type { Recorder } from './recorder.js';

// A program as a service manager runs it:
//
//   down ──start()──> running ──ended unasked──> waiting ──1 s──> running
//     ^                  │                                           │
//     └──kill(), terminate(), ended as allowed (banned)──────────────┘

const RESTART_MS = 1_000;

export interface UnitOptions extends Omit<RealProcessOptions, 'onLine'> {
  readonly recorder: Recorder;
  readonly onLine: (line: string) => void;
  /** Called whenever one of its processes has ended. */
  readonly onEnded: () => void;
  /** Decides if it may end like this by itself; `lines` are the last lines of its output. */
  readonly mayEnd: (code: number | null, lines: readonly string[]) => 'stay-down' | 'restart' | 'no';
}

/** An agent or a replica: a program that runs, is struck down, and comes back. */
export class Unit {
  readonly name: string;
  readonly #options: UnitOptions;
  readonly #lastLines: string[] = [];
  #process: RealProcess | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isRetired = false;

  constructor(options: UnitOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#process?.isRunning ?? false;
  }

  get pid(): number | null {
    return this.isRunning ? (this.#process?.pid ?? null) : null;
  }

  /** Does nothing while it runs. */
  start(): void {
    this.#cancelRestart();
    if (this.isRunning || this.#isRetired) return;
    const process = new RealProcess({ ...this.#options, onLine: (line) => this.#take(line) });
    this.#process = process;
    void process.ended.then(({ code, signal, isUnasked }) => {
      this.#options.onEnded();
      if (isUnasked && this.#process === process) this.#judgeEnd(code, signal);
    });
  }

  /** Last line of its output; null if there is none yet. */
  get lastLine(): string | null {
    return this.#lastLines.at(-1)?.slice(0, 300) ?? null;
  }

  /** The first line for which `read` has an answer; null when it ends before. */
  async waitForLine<T>(read: (line: string) => T | null): Promise<T | null> {
    return (await this.#process?.waitForLine(read)) ?? null;
  }

  async kill(): Promise<void> {
    this.#cancelRestart();
    await this.#process?.kill();
  }

  /** kill -9 for good: a caller that starts it now is late. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    await this.kill();
  }

  async terminate(): Promise<void> {
    this.#cancelRestart();
    const ending = await this.#process?.terminate();
    // a program that is still starting does not handle the signal yet
    if (!ending || ending.code === 0 || ending.signal === 'SIGTERM') return;
    const verdict = this.#options.mayEnd(ending.code, this.#lastLines);
    if (verdict === 'no') this.#recordEnd(`ended with ${ending.code ?? ending.signal} after SIGTERM`);
  }

  pause(): void {
    this.#process?.pause();
  }

  resume(): void {
    this.#process?.resume();
  }

  #judgeEnd(code: number | null, signal: NodeJS.Signals | null): void {
    const verdict = this.#options.mayEnd(code, this.#lastLines);
    if (verdict === 'no') this.#recordEnd(`${code ?? signal}: ${lastWords(this.#lastLines)}`);
    if (verdict !== 'stay-down') this.#timer = setTimeout(() => this.start(), RESTART_MS);
  }

  #recordEnd(how: string): void {
    this.#options.recorder.record('crashed', { of: this.name, how });
  }

  #cancelRestart(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #take(line: string): void {
    this.#lastLines.push(line);
    if (this.#lastLines.length > 20) this.#lastLines.shift();
    this.#options.onLine(line);
  }
}

/** Last words of a program that ended by itself: an error that no one caught, which is no log line, or else its last line. */
function lastWords(lines: readonly string[]): string {
  const words = lines.filter((line) => !line.startsWith('{'));
  return (words.length > 0 ? words : lines.slice(-1)).join(' | ').slice(0, 1_500);
}
