import type { Clock } from '@vantage/shared/clock.js';
import type { ServerFrame } from '@vantage/shared/protocol/codec.js';
import { SentJobs } from './sent-jobs.js';

// a job unanswered this long after its deadline is no load any more
const GIVE_UP_AFTER_MS = 30_000;

/** A stored task as a node gets it. */
export interface OutgoingJob {
  readonly taskId: string;
  readonly probeType: string;
  readonly specJson: string;
  /** Milliseconds it may take, from when it is sent. */
  readonly deadlineMs: number;
  /** Tells a node its callers apart; '' without one. */
  readonly caller: string;
}

/** What a node says it has to do. */
export interface NodeLoad {
  /** Probes in flight. */
  readonly running: number;
  /** Results it holds, of every lane. */
  readonly spoolRows: number;
  /** Jobs that had come over this link when it said so. */
  readonly jobsReceived: number;
}

/** Gives jobs to the node of one link, each once. */
export class JobsOut {
  /** What was given, and what of it is owed. */
  readonly sent = new SentJobs();
  readonly #clock: Clock;
  readonly #send: (frame: ServerFrame) => void;
  #busySince = 0;
  #givenCount = 0;
  /** The node has said that it runs nothing, since it got its last job. */
  #isResting = false;

  constructor(clock: Clock, send: (frame: ServerFrame) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  /**
   * Whether the node has work as far as is known, and so lets itself be heard more often. What it owes is not enough: it may
   * have lost a result with its spool, or measured a job before and ignored it now.
   */
  get isBusy(): boolean {
    return this.sent.owed > 0 && !this.#isResting;
  }

  /** When the node last got a job while it was not busy; monotonic milliseconds. */
  get busySince(): number {
    return this.#busySince;
  }

  /** @returns whether the node was not busy and is now; false too for a job that it has had or answered */
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
   * What a heartbeat says, which counts when every job had come before it. A node that runs nothing then has measured what it
   * was given, or ignores it; one that holds no result either owes nothing: it has lost the result with its spool, for one.
   */
  heard({ running, spoolRows, jobsReceived }: NodeLoad): void {
    this.#isResting = running === 0 && jobsReceived === this.#givenCount;
    if (this.#isResting && spoolRows === 0) this.sent.answerAll();
  }
}
