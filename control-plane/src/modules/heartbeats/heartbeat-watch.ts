import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { HeartbeatJudging } from './heartbeat-judging.js';
import { claimDue } from './store.js';

// Every replica judges whatever heartbeat is due, for a ping or its deadline: rows claimed with SKIP LOCKED in the transaction
// that writes what came of them. A replica that dies in between leaves them due.
//
//   pings stored here ──> look() ──┐
//   every second ──────────────────┴──> claim 100 ──> judge ──> commit ──> again while there were 100

const SWEEP_MS = 1_000;
const AT_ONCE = 100;

interface HeartbeatWatchOptions {
  readonly db: Knex;
  readonly judging: HeartbeatJudging;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Judges heartbeats that are due, in the background, for as long as it runs. */
export class HeartbeatWatch {
  #isStopped = false;
  #cancelSweep: () => void = () => {};
  #running: Promise<void> | null = null;
  #isAsked = false;

  constructor(private readonly options: HeartbeatWatchOptions) {}

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
        if (!this.#isStopped) this.options.log.warn({ err: error }, 'heartbeats not judged');
      }
    }
  }

  async #judgeAll(): Promise<void> {
    const { db, judging, clock } = this.options;
    for (let claimed = AT_ONCE; claimed === AT_ONCE && !this.#isStopped; ) {
      claimed = await db.transaction(async (trx) => {
        const nowMs = clock.now();
        const ids = await claimDue(trx, new Date(nowMs), AT_ONCE);
        if (ids.length > 0) await judging.judge(trx, ids, nowMs);
        return ids.length;
      });
    }
  }

  #sweepLater(): void {
    this.#cancelSweep();
    if (this.#isStopped) return;
    this.#cancelSweep = this.options.clock.after(SWEEP_MS, () => {
      this.look();
      this.#sweepLater();
    });
  }
}
