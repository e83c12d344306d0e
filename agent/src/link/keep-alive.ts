import type { Clock } from '@vantage/shared/clock.js';
import type { AgentFrame, DecodedServerFrame } from '@vantage/shared/protocol/codec.js';
import type { SelfTestReport } from '@vantage/shared/self-test.js';
import type { Spool } from '../spool/spool.js';
import type { ClockSync } from './clock-sync.js';
import { Heartbeats } from './heartbeats.js';
import type { Jobs } from './jobs.js';
import type { SessionOptions } from './session-options.js';

/** A line of 32 kbit/s is the slowest that counts as one. */
const SLOWEST_BYTES_PER_MS = 4;

interface KeepAliveOptions {
  readonly clock: Clock;
  /** 0 <= r < 1. */
  readonly random: () => number;
  readonly spool: Spool;
  readonly jobs: Jobs;
  readonly schedule: SessionOptions['schedule'];
  readonly clockSync: ClockSync;
  /** The newest self-test; null before the first. */
  readonly selfTest: () => SelfTestReport | null;
  readonly send: (frame: AgentFrame) => void;
  /** Bytes of results sent and not acknowledged. */
  readonly inFlightBytes: () => number;
  readonly onSilent: () => void;
}

interface Intervals {
  readonly idleMs: number;
  readonly busyMs: number;
}

/**
 * Keeps one link alive: sends heartbeats and the data that travels with them, and ends the link when the peer is
 * silent.
 */
export class KeepAlive {
  readonly #options: KeepAliveOptions;
  /** Exists once the intervals are known. */
  #heartbeats: Heartbeats | null = null;
  #roundTripMs = 0;
  #jobsReceived = 0;
  #reportedSelfTest: SelfTestReport | null = null;

  constructor(options: KeepAliveOptions) {
    this.#options = options;
  }

  /** Time from the proof to its welcome, in milliseconds. */
  get roundTripMs(): number {
    return this.#roundTripMs;
  }

  /** The proof and its welcome are a first exchange, rough because the control plane worked in between. */
  welcomed(serverTimeMs: number, provedMs: number | null): void {
    const { clock, clockSync } = this.#options;
    const receivedMs = clock.monotonicMs();
    const sentMs = provedMs ?? receivedMs;
    this.#roundTripMs = receivedMs - sentMs;
    clockSync.add({ sentMs, receivedMs, serverReceivedAt: serverTimeMs, serverSentAt: serverTimeMs });
  }

  /** Sets the intervals that the control plane requests, at first and whenever they change. */
  setIntervals(intervals: Intervals): void {
    if (this.#heartbeats === null) this.#heartbeats = this.#make(intervals);
    else this.#heartbeats.setIntervals(intervals);
  }

  begin(): void {
    this.#heartbeats?.begin();
  }

  /** Anything came. */
  heard(): void {
    this.#heartbeats?.heard();
  }

  /** Notes that a job arrived, accepted or ignored: a caller waits for its result. */
  jobCame(): void {
    this.#jobsReceived += 1;
    this.#heartbeats?.hurry();
  }

  receive(heartbeat: NonNullable<DecodedServerFrame['heartbeat']>): void {
    this.#heartbeats?.receive(heartbeat);
  }

  end(): void {
    this.#heartbeats?.end();
  }

  #make(intervals: Intervals): Heartbeats {
    const { clock, random, clockSync, send, onSilent } = this.#options;
    return new Heartbeats({
      clock,
      random,
      intervals,
      send,
      vitals: () => this.#vitals(),
      takeSelfTest: () => this.#takeSelfTest(),
      onExchange: (exchange) => clockSync.add(exchange),
      allowanceMs: () => this.#allowanceMs(),
      onSilent,
    });
  }

  #vitals() {
    const { jobs, schedule, spool } = this.#options;
    const loopLagMs = Math.max(jobs.takeLoopLag(), schedule.takeLoopLag());
    return { running: jobs.running, jobsReceived: this.#jobsReceived, loopLagMs, spool: spool.stats() };
  }

  /**
   * Additional time before silence counts: on a slow line heartbeats wait behind results, and on a long one their
   * replies travel for long.
   */
  #allowanceMs(): number {
    return 2 * this.#roundTripMs + this.#options.inFlightBytes() / SLOWEST_BYTES_PER_MS;
  }

  #takeSelfTest(): SelfTestReport | null {
    const latest = this.#options.selfTest();
    if (latest === this.#reportedSelfTest) return null;
    this.#reportedSelfTest = latest;
    return latest;
  }
}
