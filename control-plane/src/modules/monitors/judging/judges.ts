import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { hasDueRows } from '../../../db/due-rows.js';
import { Rounds, workOff } from '../../../runtime/rounds.js';
import { freshnessMs } from '../definition/freshness.js';
import { monitorIntervals } from '../definition/intervals.js';
import type { Judging } from './judging.js';
import { claimDue, queueFlapping, queueStale } from './state-store.js';

// Every replica judges due monitors: rows of a queue, claimed with SKIP LOCKED in the transaction that writes the result of the
// judgment. A replica that dies in between leaves them due.
//
//   results stored here ──> look() ──┐
//   every second ────────────────────┴──> claim 100 ──> judge ──> commit ──> again until there are none
//   every five seconds: nodes whose results have become too old; every half a minute: flapping monitors, which may have settled

const LOOK_MS = 1_000;
const STALE_MS = 5_000;
const FLAPPING_MS = 30_000;
const AT_ONCE = 100;

interface JudgesOptions {
  readonly db: Knex;
  readonly judging: Judging;
  /** Called with the time that each monitor waited for its judgment, in seconds. */
  readonly onJudged: (seconds: number) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Judges due monitors in the background, while it runs. */
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
      name: 'judging',
      everyMs: LOOK_MS,
      isDue: () => hasDueRows(db, ['monitor_due'], null),
      turn: (isStopped) => workOff(isStopped, 1, judgeSome),
      onFailed: (error) => log.warn({ err: error }, 'cannot judge monitors, retrying'),
      clock,
    });
    this.#staleness = new Rounds({
      name: 'staleness',
      everyMs: STALE_MS,
      turn: async () => {
        if ((await queueStale(db, monitorIntervals, monitorIntervals.map(freshnessMs))) > 0) this.look();
      },
      onFailed: (error) => log.warn({ err: error }, 'cannot look for nodes with old results, retrying'),
      clock,
    });
    this.#settling = new Rounds({
      name: 'flapping',
      everyMs: FLAPPING_MS,
      turn: () => queueFlapping(db),
      onFailed: (error) => log.warn({ err: error }, 'cannot look for flapping monitors, retrying'),
      clock,
    });
  }

  start(): void {
    for (const rounds of this.#all()) rounds.start();
  }

  async stop(): Promise<void> {
    for (const rounds of this.#all()) await rounds.stop();
  }

  /** Looks for due monitors immediately, or once more after the present look. */
  look(): void {
    this.#judging.look();
  }

  #all(): readonly Rounds[] {
    return [this.#settling, this.#staleness, this.#judging];
  }
}
