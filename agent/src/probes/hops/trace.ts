import type { Clock } from '@vantage/shared/clock.js';
import { abortable, type Settle } from '../../net/abortable.js';
import type { Answer, Flow, FlowListener, SendError } from '../../net/icmp.js';
import { socketFailure } from '../../net/socket-failure.js';
import { ProbeFailure } from '../failure.js';
import type { Path } from './path.js';
import type { Schedule } from './schedule.js';

/** A step this late means that the process did not run: answers may lie unread in its sockets. */
const stallMs = 20;
/** Delay that is made up for in one trace at most. */
const maxGraceMs = 2000;

/** Dependencies of a trace. */
export interface TraceParts {
  readonly path: Path;
  readonly schedule: Schedule;
  readonly clock: Clock;
  /** Called with the address of every answer. */
  readonly onAddress: (address: string) => void;
}

/** Sends what the schedule says over several flows, not waiting for one hop before the next, and notifies the path of what comes back. */
export class Trace implements FlowListener {
  readonly #parts: TraceParts;
  #flows: readonly Flow[] = [];
  #settle: Settle<void> | null = null;
  #cancelTimer = () => {};
  #isStepping = false;
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #readUntilMs = Number.NEGATIVE_INFINITY;
  #isReading = false;
  #graceMs = maxGraceMs;

  constructor(parts: TraceParts) {
    this.#parts = parts;
  }

  /**
   * Runs until the schedule is done and nothing is waited for; the flows report to this trace and are closed by the caller.
   * @throws ProbeFailure where the very first packet cannot leave, or the signal's reason
   */
  follow(flows: readonly Flow[], signal: AbortSignal): Promise<void> {
    return abortable(signal, (settle) => {
      this.#flows = flows;
      this.#settle = settle;
      queueMicrotask(() => this.#step());
      return () => {
        this.#settle = null;
        this.#cancelTimer();
      };
    });
  }

  onSent(index: number, atMs: number): void {
    this.#parts.path.markLeft(index, atMs);
  }

  onAnswer(answer: Answer): void {
    if (this.#settle === null) return;
    this.#parts.path.record(answer);
    this.#parts.onAddress(answer.from);
    this.#step();
  }

  onSendError(index: number, error: SendError): void {
    const failure = socketFailure(error, 'cannot send') ?? new ProbeFailure('internal', error.message);
    this.#parts.path.refuse(index);
    if (index === 0) this.#settle?.reject(failure);
    else this.#step();
  }

  /** A flow may report while it sends: that is heard in the step that is going on. */
  #step(): void {
    if (this.#isStepping) return;
    this.#isStepping = true;
    const nextSendMs = this.#sendDue();
    this.#isStepping = false;
    if (this.#settle === null) return;
    const { path, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    this.#makeUpForStall(nowMs);
    const nextGiveUpMs = this.#nextGiveUpMs(nowMs);
    if (nextSendMs === null && path.inFlight === 0) return this.#settle.resolve();
    this.#cancelTimer();
    this.#wakeAtMs = Math.min(nextSendMs ?? Number.POSITIVE_INFINITY, nextGiveUpMs ?? Number.POSITIVE_INFINITY);
    if (this.#wakeAtMs === Number.POSITIVE_INFINITY) this.#cancelTimer = () => {};
    else this.#cancelTimer = clock.after(Math.max(0, this.#wakeAtMs - nowMs), () => this.#step());
  }

  /** Stops waiting for what is overdue. @returns the next time to do so; null if there is none, or sockets are read first */
  #nextGiveUpMs(nowMs: number): number | null {
    if (this.#isReading) return null;
    return nowMs < this.#readUntilMs ? this.#readUntilMs : this.#parts.path.giveUpOverdue(nowMs);
  }

  /**
   * Extends deadlines after a delay, so that no packet is given up before there was as much time to read; after one that
   * is too long for that, not before what has arrived was read.
   */
  #makeUpForStall(nowMs: number): void {
    const lateMs = nowMs - this.#wakeAtMs;
    if (lateMs < stallMs) return;
    if (lateMs > this.#graceMs) return this.#readFirst();
    this.#graceMs -= lateMs;
    this.#readUntilMs = nowMs + lateMs;
  }

  #readFirst(): void {
    this.#isReading = true;
    this.#parts.clock.afterInput(() => {
      this.#isReading = false;
      this.#step();
    });
  }

  /** @returns when the next packet is due; null when there will be none */
  #sendDue(): number | null {
    const { path, schedule, clock } = this.#parts;
    while (this.#settle !== null) {
      const nowMs = clock.monotonicMs();
      const step = schedule.next(path, nowMs);
      if (step.kind === 'done') return null;
      if (step.kind === 'wait') return step.untilMs;
      const index = path.markSent(step.packet, nowMs);
      this.#flows[step.packet.flow]?.send(index, step.packet.ttl);
    }
    return null;
  }
}
