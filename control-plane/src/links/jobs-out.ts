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

/** Gives jobs to the node of one link, each once. */
export class JobsOut {
  /** What was given, and what of it is owed. */
  readonly sent = new SentJobs();
  readonly #clock: Clock;
  readonly #send: (frame: ServerFrame) => void;
  #busySince = 0;
  #lastGivenMs = 0;

  constructor(clock: Clock, send: (frame: ServerFrame) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  /** When the node last got a job while it owed none; monotonic milliseconds. */
  get busySince(): number {
    return this.#busySince;
  }

  /** @returns whether the node was idle and is no longer; false too for a job that it has had or answered */
  give({ taskId, probeType, specJson, deadlineMs, caller }: OutgoingJob): boolean {
    if (this.sent.has(taskId)) return false;
    const wasIdle = this.sent.owed === 0;
    const nowMs = this.#clock.monotonicMs();
    if (wasIdle) this.#busySince = nowMs;
    this.#lastGivenMs = nowMs;
    this.sent.add(taskId, nowMs + deadlineMs + GIVE_UP_AFTER_MS);
    this.#send({ job: { taskId, probeType, specJson: Buffer.from(specJson), deadlineMs, caller } });
    return wasIdle;
  }

  /**
   * The node runs nothing and holds no result. Unless a job may still be on its way, within `onTheWayMs`, it owes nothing:
   * it has measured what it was given, and lost the result with its spool, for one.
   */
  heardIdle(onTheWayMs: number): void {
    if (this.#clock.monotonicMs() - this.#lastGivenMs >= onTheWayMs) this.sent.answerAll();
  }
}
