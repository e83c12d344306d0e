import type { Clock } from '@vantage/shared/clock.js';
import { encodeResult } from '@vantage/shared/protocol/codec.js';
import { RecentIds } from '@vantage/shared/recent-ids.js';
import type { Logger } from 'pino';
import type { MeasuringProcess } from '../measuring/measuring-process.js';
import type { Spool } from '../spool/spool.js';
import type { ClockSync } from './clock-sync.js';

/** Task ids remembered after their result, so that a job sent twice runs once: at least so many, and at most twice. */
const REMEMBERED_TASKS = 10_000;

/** A one-shot probe from the control plane. */
export interface Job {
  readonly taskId: string;
  readonly probeType: string;
  readonly specJson: string;
  readonly deadlineMs: number;
  /** Opaque name of who asked; '' for those without one. */
  readonly caller: string;
}

export interface JobsOptions {
  readonly measuring: Pick<MeasuringProcess, 'measure' | 'cancel'>;
  readonly spool: Pick<Spool, 'append'>;
  readonly clockSync: ClockSync;
  readonly clock: Clock;
  readonly log: Logger;
}

/** One-shot probes of this process: each task id runs once, and its result goes into the spool, link or no link. */
export class Jobs {
  readonly #options: JobsOptions;
  readonly #running = new Set<string>();
  readonly #finished = new RecentIds(REMEMBERED_TASKS);
  #isClosed = false;
  #loopLagMs = 0;
  #whenIdle: (() => void) | null = null;
  /** Called after a result was appended to the spool; it need not be durable yet. */
  onResult: () => void = () => undefined;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  get runningTaskIds(): string[] {
    return [...this.#running];
  }

  get running(): number {
    return this.#running.size;
  }

  /** Runs a job; one that runs already or has run is not taken. */
  accept(job: Job): boolean {
    const { taskId } = job;
    if (this.#isClosed || this.#running.has(taskId) || this.#finished.has(taskId)) return false;
    this.#running.add(taskId);
    void this.#run(job);
    return true;
  }

  /** The task is answered as `cancelled`; unknown ids do nothing. */
  cancel(taskId: string): void {
    if (this.#running.has(taskId)) this.#options.measuring.cancel(taskId);
  }

  /** Largest event loop delay of the measuring process since the last call, milliseconds. */
  takeLoopLag(): number {
    const lagMs = this.#loopLagMs;
    this.#loopLagMs = 0;
    return lagMs;
  }

  /** Accepts no more jobs; resolves when none runs, or after `timeoutMs`. */
  close(timeoutMs: number): Promise<void> {
    this.#isClosed = true;
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancelTimer = this.#options.clock.after(timeoutMs, resolve);
      this.#whenIdle = () => {
        cancelTimer();
        resolve();
      };
    });
  }

  async #run({ taskId, probeType: type, specJson, deadlineMs, caller }: Job): Promise<void> {
    const { measuring, clock, clockSync, log } = this.#options;
    const { resultJson, loopLagMs } = await measuring.measure({ id: taskId, type, specJson, deadlineMs, caller });
    const { offsetMs, uncertaintyMs } = clockSync.estimate();
    this.#loopLagMs = Math.max(this.#loopLagMs, loopLagMs);
    const payload = encodeResult({
      probeType: type,
      taskId,
      resultJson: Buffer.from(resultJson),
      finishedAtMs: clock.now(),
      clockOffsetMs: offsetMs,
      uncertaintyMs,
    });
    this.#running.delete(taskId);
    this.#finished.add(taskId);
    try {
      this.#options.spool.append('task', payload);
      this.onResult();
    } catch (error) {
      log.warn({ err: error, taskId }, 'result arrived after the spool was closed');
    }
    if (this.#running.size === 0) this.#whenIdle?.();
  }
}
