import { afterMessages, type Clock } from '@vantage/shared/clock.js';
import type { AgentFrame, DecodedServerFrame } from '@vantage/shared/protocol/codec.js';
import type { SelfTestReport } from '@vantage/shared/self-test.js';
import type { SpoolStats } from '../spool/spool.js';
import type { ClockExchange } from './clock-sync.js';

/** Intervals without a single frame after which the peer is dead; TCP alone never shows it. */
const MISSED_LIMIT = 3;
/** Answers that may still be on their way. */
const KEPT_QUESTIONS = 8;

/** Intervals between heartbeats, in milliseconds. */
export interface HeartbeatIntervals {
  readonly idleMs: number;
  /** While one-shot work is in flight. */
  readonly busyMs: number;
}

/** State of the agent as its heartbeats report it. */
export interface Vitals {
  /** Probes in flight. */
  readonly running: number;
  /** Jobs that came over this link. */
  readonly jobsReceived: number;
  readonly loopLagMs: number;
  readonly spool: Pick<SpoolStats, 'rows' | 'bytes' | 'oldestAt' | 'dropped' | 'problem'>;
}

export interface HeartbeatOptions {
  readonly clock: Clock;
  /** 0 <= r < 1. */
  readonly random: () => number;
  readonly intervals: HeartbeatIntervals;
  readonly send: (frame: AgentFrame) => void;
  readonly vitals: () => Vitals;
  /** Returns the self-test that was not yet sent on this link, or null. */
  readonly takeSelfTest: () => SelfTestReport | null;
  readonly onExchange: (exchange: ClockExchange) => void;
  /** Milliseconds beyond the missed beats in which an answer may still be on its way. */
  readonly allowanceMs: () => number;
  readonly onSilent: () => void;
}

/** Sends heartbeats on one open link, to which the control plane replies with its time. */
export class Heartbeats {
  readonly #options: HeartbeatOptions;
  readonly #questions = new Map<number, number>();
  #intervals: HeartbeatIntervals;
  #sequence = 0;
  #missed = 0;
  /** Time at which enough heartbeats were missed; null if they were not. */
  #doubtedMs: number | null = null;
  #hasHeard = true;
  #hasEnded = false;
  #dueMs = Number.POSITIVE_INFINITY;
  #cancelTimer: (() => void) | null = null;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#intervals = options.intervals;
  }

  /** Beats at once and from now on. */
  begin(): void {
    this.#beat();
  }

  end(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#hasEnded = true;
    this.#dueMs = Number.NEGATIVE_INFINITY;
  }

  setIntervals(intervals: HeartbeatIntervals): void {
    this.#intervals = intervals;
  }

  /** Any frame is a sign of life. */
  heard(): void {
    this.#hasHeard = true;
    this.#doubtedMs = null;
  }

  /** Work came in: the next beat comes after the busy interval at the latest. */
  hurry(): void {
    const { clock } = this.#options;
    if (this.#dueMs > clock.monotonicMs() + this.#intervals.busyMs) this.#schedule(this.#intervals.busyMs);
  }

  receive(heartbeat: NonNullable<DecodedServerFrame['heartbeat']>): void {
    const { clock, send, onExchange } = this.#options;
    if (!heartbeat.isReply) {
      const now = clock.now();
      send({
        heartbeat: {
          sequence: heartbeat.sequence,
          isReply: true,
          originMs: heartbeat.transmitMs,
          receiveMs: now,
          transmitMs: now,
        },
      });
      return;
    }
    const sentMs = this.#questions.get(heartbeat.sequence);
    if (sentMs === undefined) return;
    this.#questions.delete(heartbeat.sequence);
    const receivedMs = clock.monotonicMs();
    onExchange({ sentMs, receivedMs, serverReceivedAt: heartbeat.receiveMs, serverSentAt: heartbeat.transmitMs });
  }

  #beat(): void {
    this.#missed = this.#hasHeard ? 0 : this.#missed + 1;
    this.#hasHeard = false;
    if (this.#isSilent()) this.#lookAgain();
    else this.#send();
  }

  /** This process may have been suspended: frames that the peer sent meanwhile count. */
  #lookAgain(): void {
    const { clock, onSilent } = this.#options;
    afterMessages(clock, () => {
      if (this.#hasEnded) return;
      if (this.#hasHeard) this.#beat();
      else onSilent();
    });
  }

  #send(): void {
    const { clock, send, vitals, takeSelfTest } = this.#options;
    const { running, jobsReceived, loopLagMs, spool } = vitals();
    this.#sequence += 1;
    this.#remember(this.#sequence, clock.monotonicMs());
    const transmitMs = clock.now();
    const selfTest = selfTestMessage(takeSelfTest());
    const fields = { running, jobsReceived, loopLagMs, selfTest, ...spoolFields(spool, transmitMs) };
    send({ heartbeat: { sequence: this.#sequence, transmitMs, ...fields } });
    this.#schedule(running > 0 ? this.#intervals.busyMs : this.#spread(this.#intervals.idleMs));
  }

  #isSilent(): boolean {
    if (this.#missed < MISSED_LIMIT) return false;
    const nowMs = this.#options.clock.monotonicMs();
    this.#doubtedMs ??= nowMs;
    return nowMs - this.#doubtedMs >= this.#options.allowanceMs();
  }

  #schedule(delayMs: number): void {
    const { clock } = this.#options;
    this.#cancelTimer?.();
    this.#dueMs = clock.monotonicMs() + delayMs;
    this.#cancelTimer = clock.after(delayMs, () => this.#beat());
  }

  /** Ten thousand agents that connected together must not beat together. */
  #spread(intervalMs: number): number {
    return intervalMs * (0.8 + 0.2 * this.#options.random());
  }

  #remember(sequence: number, sentMs: number): void {
    this.#questions.set(sequence, sentMs);
    if (this.#questions.size <= KEPT_QUESTIONS) return;
    const [oldest] = this.#questions.keys();
    if (oldest !== undefined) this.#questions.delete(oldest);
  }
}

function spoolFields({ rows, bytes, oldestAt, dropped, problem }: Vitals['spool'], nowMs: number) {
  return {
    spoolRows: rows,
    spoolBytes: bytes,
    spoolOldestMs: oldestAt === null ? 0 : Math.max(0, nowMs - oldestAt),
    spoolDropped: dropped,
    spoolProblem: problem ?? '',
  };
}

function selfTestMessage(report: SelfTestReport | null) {
  return report === null ? null : { finishedAtMs: report.finishedAt, checks: [...report.checks] };
}
