import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { Rounds, workOff } from '../../rounds.js';
import { freshnessMs } from './eligibility.js';
import { monitorIntervals } from './intervals.js';
import type { Judging } from './judging.js';
import { claimDue, queueFlapping, queueStale } from './state-store.js';

// Every replica judges whatever is due: rows of a queue, claimed with SKIP LOCKED in the transaction that writes what the
// judgment made of them. A replica that dies in between leaves them due.
//
//   results stored here ──> look() ──┐
//   every second ────────────────────┴──> claim 100 ──> judge ──> commit ──> again until there are none
//   every five seconds: nodes whose results have become too old; every half a minute: what flaps, and may have settled

const LOOK_MS = 1_000;
const STALE_MS = 5_000;
const FLAPPING_MS = 30_000;
const AT_ONCE = 100;

interface JudgesOptions {
  readonly db: Knex;
  readonly judging: Judging;
  /** Told how long each monitor waited for its judgment, seconds. */
  readonly onJudged: (seconds: number) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Judges monitors that are due, in the background, for as long as it runs. */
export class Judges {
  readonly #judging: Rounds;
  readonly #staleness: Rounds;
  readonly #settling: Rounds;

  constructor({ db, judging, onJudged, clock, log }: JudgesOptions) {
    const judgeSome = async () => {
      const startedMs = clock.monotonicMs();
      const claimed = await db.transaction(async (trx) => {
        const due = await claimDue(trx, AT_ONCE);
        const ids = due.map(({ id }) => id);
        if (ids.length > 0) await judging.judge(trx, ids, clock.now());
        return due;
      });
      const tookMs = clock.monotonicMs() - startedMs;
      for (const { waitedMs } of claimed) onJudged((waitedMs + tookMs) / 1_000);
      return claimed.length;
    };
    this.#judging = new Rounds({
      everyMs: LOOK_MS,
      turn: (isStopped) => workOff(isStopped, 1, judgeSome),
      onFailed: (error) => log.warn({ err: error }, 'monitors not judged'),
      clock,
    });
    this.#staleness = new Rounds({
      everyMs: STALE_MS,
      turn: async () => {
        if ((await queueStale(db, monitorIntervals, monitorIntervals.map(freshnessMs))) > 0) this.look();
      },
      onFailed: (error) => log.warn({ err: error }, 'nodes with old results not noticed'),
      clock,
    });
    this.#settling = new Rounds({
      everyMs: FLAPPING_MS,
      turn: () => queueFlapping(db),
      onFailed: (error) => log.warn({ err: error }, 'monitors that flap not looked at'),
      clock,
    });
  }

  start(): void {
    for (const rounds of this.#all()) rounds.start();
  }

  async stop(): Promise<void> {
    for (const rounds of this.#all()) await rounds.stop();
  }

  /** Something is due: looks at once, or once more when it is looking. */
  look(): void {
    this.#judging.look();
  }

  #all(): readonly Rounds[] {
    return [this.#settling, this.#staleness, this.#judging];
  }
}
