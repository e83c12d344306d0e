import type { Clock } from '@vantage/shared/clock.js';
import type { ServerFrame } from '@vantage/shared/protocol/codec.js';
import { SentJobs } from './sent-jobs.js';

// a job without a result this long after its deadline no longer counts as load
const GIVE_UP_AFTER_MS = 30_000;

/** Stored task as a node gets it. */
export interface OutgoingJob {
  readonly taskId: string;
  readonly probeType: string;
  readonly specJson: string;
  /** Time it may take from when it is sent, in milliseconds. */
  readonly deadlineMs: number;
  /** Distinguishes the callers for a node; '' without a caller. */
  readonly caller: string;
}

/** Load that a node reports. */
export interface NodeLoad {
  /** Probes in flight. */
  readonly running: number;
  /** Results it holds, of all lanes. */
  readonly spoolRows: number;
  /** Jobs that it had received over this link at that time. */
  readonly jobsReceived: number;
}

/** Sends jobs to the node of one link, each once. */
export class JobsOut {
  /** Jobs sent to the node, and those of them that it has not answered. */
  readonly sent = new SentJobs();
  readonly #clock: Clock;
  readonly #send: (frame: ServerFrame) => void;
  #busySince = 0;
  #givenCount = 0;
  /** True if the node has reported, since it got its last job, that it runs nothing. */
  #isResting = false;

  constructor(clock: Clock, send: (frame: ServerFrame) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  /**
   * True if the node has work, as far as is known, and so sends heartbeats more often. Unanswered jobs alone are not
   * enough: the node may have lost a result with its spool, or may have measured a job earlier and ignored it now.
   */
  get isBusy(): boolean {
    return this.sent.owed > 0 && !this.#isResting;
  }

  /** Time when the node last got a job while it was not busy; monotonic milliseconds. */
  get busySince(): number {
    return this.#busySince;
  }

  /** @returns true if the node was not busy and is now; false also for a job that it received or answered already */
  give({ taskId, probeType, specJson, deadlineMs, caller }: OutgoingJob): boolean {
    if (this.sent.has(taskId)) return false;
    const wasBusy = this.isBusy;
    const nowMs = this.#clock.monotonicMs();
    if (!wasBusy) this.#busySince = nowMs;
    this.#givenCount += 1;
    this.#isResting = false;
    this.sent.add(taskId, nowMs + deadlineMs + GIVE_UP_AFTER_MS);
    this.#send({ job: { taskId, probeType, specJson: Buffer.from(specJson), deadlineMs, caller } });
    return !wasBusy;
  }

  /**
   * Takes in a heartbeat, which counts if every job had arrived before it. A node that runs nothing then has measured
   * its jobs or ignores them. One that holds no results either owes nothing: it may have lost a result with its spool.
   */
  heard({ running, spoolRows, jobsReceived }: NodeLoad): void {
    this.#isResting = running === 0 && jobsReceived === this.#givenCount;
    if (this.#isResting && spoolRows === 0) this.sent.answerAll();
  }
}
