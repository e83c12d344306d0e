import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { freshnessMs } from './eligibility.js';
import { monitorIntervals } from './intervals.js';
import type { Judging } from './judging.js';
import { claimDue, queueStale } from './state-store.js';

// Every replica judges whatever is due: rows of a queue, claimed with SKIP LOCKED in the transaction that writes what the
// judgment made of them. A replica that dies in between leaves them due.
//
//   results stored here ──> look() ──┐
//   every second ────────────────────┴──> claim 100 ──> judge ──> commit ──> again while there were 100
//   every five seconds: nodes whose results have become too old

const SWEEP_MS = 1_000;
const STALE_EVERY_SWEEPS = 5;
const AT_ONCE = 100;

interface JudgesOptions {
  readonly db: Knex;
  readonly judging: Judging;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Judges monitors that are due, in the background, for as long as it runs. */
export class Judges {
  #isStopped = false;
  #cancelSweep: () => void = () => {};
  #running: Promise<void> | null = null;
  #isAsked = false;
  #sweeps = 0;

  constructor(private readonly options: JudgesOptions) {}

  start(): void {
    this.#sweepLater();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelSweep();
    await this.#running;
  }

  /** Something is due: looks at once, or once more when it is looking. */
  look(): void {
    if (this.#isStopped) return;
    this.#isAsked = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  async #run(): Promise<void> {
    while (this.#isAsked && !this.#isStopped) {
      this.#isAsked = false;
      try {
        await this.#judgeAll();
      } catch (error) {
        // what was claimed is due again; the next sweep comes in a second
        if (!this.#isStopped) this.options.log.warn({ err: error }, 'monitors not judged');
      }
    }
  }

  async #judgeAll(): Promise<void> {
    const { db, judging, clock } = this.options;
    for (let claimed = AT_ONCE; claimed > 0 && !this.#isStopped; ) {
      claimed = await db.transaction(async (trx) => {
        const ids = await claimDue(trx, AT_ONCE);
        if (ids.length > 0) await judging.judge(trx, ids, clock.now());
        return ids.length;
      });
    }
  }

  #sweepLater(): void {
    this.#cancelSweep = this.options.clock.after(SWEEP_MS, () => {
      void this.#sweep().finally(() => {
        if (!this.#isStopped) this.#sweepLater();
      });
    });
  }

  async #sweep(): Promise<void> {
    this.#sweeps += 1;
    if (this.#sweeps % STALE_EVERY_SWEEPS === 0) {
      const limits = monitorIntervals.map(freshnessMs);
      await queueStale(this.options.db, monitorIntervals, limits).catch((error: unknown) => {
        this.options.log.warn({ err: error }, 'nodes with old results not noticed');
      });
    }
    this.look();
  }
}
