import { SeededRandom } from '../seeded-random.js';
import { EventQueue } from './event-queue.js';
import { Trace } from './trace.js';

/** Wall clock at the beginning of every run. */
export const WALL_START_MS = Date.UTC(2026, 0, 1);

const LOOK_MS = 250;

/** The one time of a run, and what is going to happen in it. */
export class World {
  readonly random: SeededRandom;
  readonly trace: Trace;
  readonly #queue = new EventQueue();
  #nowMs = 0;
  #planned = 0;

  constructor(
    readonly seed: number,
    options: { readonly isTraced?: boolean } = {},
  ) {
    this.random = new SeededRandom(seed);
    this.trace = new Trace(() => this.#nowMs, options.isTraced ?? false);
  }

  /** Milliseconds since the run began. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** The true time, milliseconds since the epoch: the database's clock, and everybody's that is not wrong. */
  get wallMs(): number {
    return WALL_START_MS + this.#nowMs;
  }

  /** Events that have happened. */
  events = 0;

  /** Plans something `delayMs` from now; returns how to call it off. */
  after(delayMs: number, run: () => void): () => void {
    return this.#plan(delayMs, run, true);
  }

  /** The same for what is only carried on, to be planned again where it arrives: no promise is resolved by it. */
  carry(delayMs: number, run: () => void): () => void {
    return this.#plan(delayMs, run, false);
  }

  #plan(delayMs: number, run: () => void, isSettling: boolean): () => void {
    const event = {
      atMs: this.#nowMs + Math.max(0, delayMs),
      order: (this.#planned += 1),
      run,
      isCancelled: false,
      isSettling,
    };
    this.#queue.push(event);
    return () => {
      event.isCancelled = true;
    };
  }

  /** Lets time pass until `limitMs`. */
  async runUntil(limitMs: number): Promise<void> {
    for (let event = this.#queue.pop(); event !== undefined; event = this.#queue.pop()) {
      if (event.isCancelled) continue;
      if (event.atMs > limitMs) {
        this.#queue.push(event);
        break;
      }
      this.#nowMs = Math.max(this.#nowMs, event.atMs);
      this.events += 1;
      event.run();
      if (event.isSettling) await promisesSettled();
    }
    this.#nowMs = Math.max(this.#nowMs, limitMs);
  }

  /** Lets time pass until `limitMs` at most, and checks every quarter of a second if it is enough. */
  async runWhile(isUnfinished: () => boolean, limitMs: number): Promise<void> {
    while (this.#nowMs < limitMs && isUnfinished()) await this.runUntil(Math.min(limitMs, this.#nowMs + LOOK_MS));
  }
}

/** Resolves when no promise has anything left to do: immediates run after all of them. */
function promisesSettled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
