import type { Clock } from '@vantage/shared/clock.js';

// Work that waits in the database, looked for by every replica: again and again, since a word that it is there may be lost, and
// at once when the word comes. Of one Rounds never two turns run at once.
//
//   look()          ──> a turn now, or one more when the present one ends
//   lookWithin(ms)  ──> a turn in a moment: many who ask meanwhile get one
//   every everyMs   ──> a turn, as if somebody had said look
//
// What is claimed with SKIP LOCKED in the transaction that does it stays due when a replica dies in between.

interface RoundsOptions {
  readonly everyMs: number;
  /** Does what there is to do; leaves the rest when `isStopped` says so. */
  readonly turn: (isStopped: () => boolean) => Promise<void>;
  /** A turn failed, and nobody stopped it; the next one comes as ever. */
  readonly onFailed: (error: unknown) => void;
  readonly clock: Clock;
}

/** Looks for work in the background, for as long as it runs. */
export class Rounds {
  readonly #options: RoundsOptions;
  readonly #hasStopped = () => this.#isStopped;
  #isStopped = false;
  #cancelTimer: () => void = () => {};
  #running: Promise<void> | null = null;
  #isAsked = false;
  #isSoon = false;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  /** The first turn comes after `everyMs`. */
  start(): void {
    this.#later(this.#options.everyMs);
  }

  /** Resolves when the turn that runs has ended. May be called twice. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    await this.#running;
  }

  /** Takes a turn at once, or once more when one is running. */
  look(): void {
    if (this.#isStopped) return;
    this.#isAsked = true;
    this.#running ??= this.#run();
  }

  /** Takes a turn within `ms`; whoever asks until then gets the same one. */
  lookWithin(ms: number): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    this.#later(ms);
  }

  async #run(): Promise<void> {
    while (this.#isAsked && !this.#isStopped) {
      this.#isAsked = false;
      try {
        await this.#options.turn(this.#hasStopped);
      } catch (error) {
        if (!this.#isStopped) this.#options.onFailed(error);
      }
    }
    // here, before anybody else can ask: later what is asked meanwhile would start nothing
    this.#running = null;
  }

  #later(ms: number): void {
    this.#cancelTimer();
    if (this.#isStopped) return;
    this.#cancelTimer = this.#options.clock.after(ms, () => {
      this.#isSoon = false;
      this.#later(this.#options.everyMs);
      this.look();
    });
  }
}

/** Takes pieces, one after another, for as long as `take` says that it had at least `full` of them. */
export async function workOff(isStopped: () => boolean, full: number, take: () => Promise<number>): Promise<void> {
  while (!isStopped()) if ((await take()) < full) return;
}
