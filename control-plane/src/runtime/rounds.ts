import type { Clock, Round } from '@vantage/shared/clock.js';

// Work that waits in the database, looked for by every replica: repeatedly, since a notification may be lost, and at
// once when a notification arrives. Two turns of one Rounds never run at the same time.
//
//   look()          ──> a turn now, or one more when the present one ends
//   lookWithin(ms)  ──> a turn in a moment: many who ask meanwhile get one
//   every everyMs   ──> a turn, as after look(), if isDue() says that there is work
//
// Work that is claimed with SKIP LOCKED in the transaction that performs it stays due if a replica dies in between.

interface RoundsOptions {
  /** Name of the work, for whoever holds the clock. */
  readonly name: string;
  readonly everyMs: number;
  /** Does the due work; leaves the rest if `isStopped` returns true. */
  readonly turn: (isStopped: () => boolean) => Promise<void>;
  /** Tells, at less cost than a turn, whether there is work; asked before a timed turn. Absent: there may be. */
  readonly isDue?: () => Promise<boolean>;
  /** Called if a turn failed without having been stopped; the next one comes as usual. */
  readonly onFailed: (error: unknown) => void;
  readonly clock: Clock;
}

/** Looks for work in the background, for as long as it runs. */
export class Rounds implements Round {
  readonly name: string;
  readonly #options: RoundsOptions;
  readonly #hasStopped = () => this.#isStopped;
  #isStopped = false;
  #cancelTimer: () => void = () => {};
  #running: Promise<void> | null = null;
  #isAsked = false;
  #isTimed = false;
  #isSoon = false;

  constructor(options: RoundsOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** The first turn comes after `everyMs`. */
  start(): void {
    this.#sweepLater();
  }

  /** Resolves when the turn that runs has ended. May be called twice. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    await this.#running;
  }

  /** Resolves when no turn runs. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** Takes a turn at once, or once more when one is running. */
  look(): void {
    if (this.#isStopped) return;
    this.#isAsked = true;
    this.#running ??= this.#run();
  }

  /** Takes a turn within `ms`; requests until then get the same one. */
  lookWithin(ms: number): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    this.#later(ms, {}, () => {
      this.#isSoon = false;
      this.#sweepLater();
      this.look();
    });
  }

  #sweep(): void {
    this.#isTimed = true;
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    const { isDue, turn } = this.#options;
    while ((this.#isAsked || this.#isTimed) && !this.#isStopped) {
      const isAsked = this.#isAsked;
      this.#isAsked = false;
      this.#isTimed = false;
      try {
        if (isAsked || isDue === undefined || (await isDue())) await turn(this.#hasStopped);
      } catch (error) {
        if (!this.#isStopped) this.#options.onFailed(error);
      }
    }
    // here, before any other call: later, a call in between would start nothing
    this.#running = null;
  }

  #sweepLater(): void {
    this.#later(this.#options.everyMs, { round: this }, () => {
      this.#sweepLater();
      this.#sweep();
    });
  }

  #later(ms: number, options: { round?: Round }, begin: () => void): void {
    this.#cancelTimer();
    if (!this.#isStopped) this.#cancelTimer = this.#options.clock.after(ms, begin, options);
  }
}

/** Takes pieces, one after another, for as long as `take` says that it had at least `full` of them. */
export async function workOff(isStopped: () => boolean, full: number, take: () => Promise<number>): Promise<void> {
  while (!isStopped()) if ((await take()) < full) return;
}
