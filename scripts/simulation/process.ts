import type { Clock } from '@vantage/shared/clock.js';
import type { World } from './world.js';

//   running ──freeze──> frozen ──thaw──> running         what is due meanwhile happens at the thaw, in order
//      └──────kill────────┴──────────────────> dead      nothing of it happens any more

/** One program of a run: its clocks, and the thread of everything that happens to it. */
export class SimulatedProcess {
  /** Error of its wall clock, in milliseconds. */
  wallErrorMs = 0;
  readonly #startedMs: number;
  readonly #onDeath: (() => void)[] = [];
  #overdue: (() => void)[] = [];
  #isFrozen = false;
  #isDead = false;

  constructor(
    readonly name: string,
    readonly world: World,
  ) {
    this.#startedMs = world.nowMs;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get isRunning(): boolean {
    return !this.#isDead && !this.#isFrozen;
  }

  /** The clocks of this process; its timers end with it. */
  readonly clock: Clock = {
    now: () => Math.floor(this.world.wallMs + this.wallErrorMs),
    // every process has its own zero
    monotonicMs: () => this.world.nowMs - this.#startedMs + 1_000,
    // Node rounds timers to whole milliseconds, one at least
    after: (ms, callback) => this.after(Math.max(1, Math.floor(ms)), callback),
    afterInput: (callback) => void this.after(0, callback),
  };

  /** Plans something that happens to this process: an answer, a message, a timer. */
  after(delayMs: number, run: () => void): () => void {
    let isCancelled = false;
    const happen = () => {
      if (this.#isDead || isCancelled) return;
      if (this.#isFrozen) this.#overdue.push(happen);
      else run();
    };
    const cancel = this.world.after(delayMs, happen);
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  /** SIGSTOP. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** SIGCONT. */
  thaw(): void {
    if (!this.#isFrozen) return;
    this.#isFrozen = false;
    for (const happen of this.#overdue.splice(0)) this.world.after(0, happen);
  }

  /** SIGKILL: all that this process was going to do, it doesn't. */
  kill(): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.#overdue = [];
    for (const listener of this.#onDeath) listener();
  }

  /** Calls back when the process is killed, or has ended. */
  onDeath(listener: () => void): void {
    this.#onDeath.push(listener);
  }
}
