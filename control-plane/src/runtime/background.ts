import type { Clock, Round } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';

// Work that waits in the database, looked for by every replica: repeatedly, since a notification may be lost, and at
// once when a notification arrives. Two turns never run at the same time.
//
//   look()          ──> a turn now, or one more when the present one ends
//   lookWithin(ms)  ──> a turn in a moment: many who ask meanwhile get one
//   every everyMs   ──> a turn, as after look(), if isDue() says that there is work
//
// Work that is claimed with SKIP LOCKED in the transaction that performs it stays due if a replica dies in between.

/** Parts of the house that work in the background is built on. */
export interface BackgroundParts {
  /** Connections of agents and of background work. */
  readonly db: Knex;
  readonly clock: Clock;
  readonly log: Logger;
}

interface BackgroundWork {
  /** Name of the work, for the owner of the clock. */
  readonly name: string;
  readonly everyMs: number;
  /** Does the due work; leaves the rest if `isStopped` returns true. */
  readonly look: (isStopped: () => boolean) => Promise<void>;
  /** True if there is work, found at less cost than a turn; asked before a timed turn. If absent, there may be. */
  readonly isDue?: () => Promise<boolean>;
  /** Warning that is logged if a turn failed without having been stopped; the next one comes as usual. */
  readonly failing: string;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
}

/** Creates work that is looked for in the background from `start()` to `stop()`. */
export function background(work: BackgroundWork): Rounds {
  return new Rounds(work);
}

export type { Rounds };

class Rounds implements Round {
  readonly name: string;
  readonly #work: BackgroundWork;
  readonly #hasStopped = () => this.#isStopped;
  #isStarted = false;
  #isStopped = false;
  #cancelTimer: () => void = () => {};
  #running: Promise<void> | null = null;
  #isAsked = false;
  #isTimed = false;
  #isSoon = false;

  constructor(work: BackgroundWork) {
    this.name = work.name;
    this.#work = work;
  }

  /** The first turn comes after `everyMs`. */
  start(): void {
    this.#isStarted = true;
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

  /** Takes a turn now, next to any other, and waits for it. */
  run(): Promise<void> {
    return this.#work.look(this.#hasStopped);
  }

  /** Takes a turn at once, or once more when one is running; none before the start, as in a command. */
  look(): void {
    if (!this.#isStarted || this.#isStopped) return;
    this.#isAsked = true;
    this.#running ??= this.#takeTurns();
  }

  /** Takes a turn within `ms`; requests until then get the same one. */
  lookWithin(ms: number): void {
    if (!this.#isStarted || this.#isSoon) return;
    this.#isSoon = true;
    this.#later(ms, {}, () => {
      this.#isSoon = false;
      this.#sweepLater();
      this.look();
    });
  }

  #sweep(): void {
    this.#isTimed = true;
    this.#running ??= this.#takeTurns();
  }

  async #takeTurns(): Promise<void> {
    const { isDue, look, failing, log } = this.#work;
    while ((this.#isAsked || this.#isTimed) && !this.#isStopped) {
      const isAsked = this.#isAsked;
      this.#isAsked = false;
      this.#isTimed = false;
      try {
        if (isAsked || isDue === undefined || (await isDue())) await look(this.#hasStopped);
      } catch (error) {
        if (!this.#isStopped) log.warn({ err: error }, failing);
      }
    }
    // here, before any other call: later, a call in between would start nothing
    this.#running = null;
  }

  #sweepLater(): void {
    this.#later(this.#work.everyMs, { round: this }, () => {
      this.#sweepLater();
      this.#sweep();
    });
  }

  #later(ms: number, options: { round?: Round }, begin: () => void): void {
    this.#cancelTimer();
    if (!this.#isStopped) this.#cancelTimer = this.#work.clock.after(ms, begin, options);
  }
}

/** Takes pieces, one after another, for as long as `take` says that it had at least `full` of them. */
export async function workOff(isStopped: () => boolean, full: number, take: () => Promise<number>): Promise<void> {
  while (!isStopped()) if ((await take()) < full) return;
}
