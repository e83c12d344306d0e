import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { Rounds, workOff } from '../../rounds.js';
import { freshnessMs } from './eligibility.js';
import { monitorIntervals } from './intervals.js';
import type { Judging } from './judging.js';
import { claimDue, queueStale } from './state-store.js';

// Every replica judges whatever is due: rows of a queue, claimed with SKIP LOCKED in the transaction that writes what the
// judgment made of them. A replica that dies in between leaves them due.
//
//   results stored here ──> look() ──┐
//   every second ────────────────────┴──> claim 100 ──> judge ──> commit ──> again until there are none
//   every five seconds: nodes whose results have become too old

const LOOK_MS = 1_000;
const STALE_MS = 5_000;
const AT_ONCE = 100;

interface JudgesOptions {
  readonly db: Knex;
  readonly judging: Judging;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Judges monitors that are due, in the background, for as long as it runs. */
export class Judges {
  readonly #judging: Rounds;
  readonly #staleness: Rounds;

  constructor({ db, judging, clock, log }: JudgesOptions) {
    const judgeSome = () =>
      db.transaction(async (trx) => {
        const ids = await claimDue(trx, AT_ONCE);
        if (ids.length > 0) await judging.judge(trx, ids, clock.now());
        return ids.length;
      });
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
  }

  start(): void {
    this.#judging.start();
    this.#staleness.start();
  }

  async stop(): Promise<void> {
    await this.#staleness.stop();
    await this.#judging.stop();
  }

  /** Something is due: looks at once, or once more when it is looking. */
  look(): void {
    this.#judging.look();
  }
}
