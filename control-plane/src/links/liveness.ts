import type { Clock } from '@vantage/shared/clock.js';
import type { DecodedAgentFrame, ServerFrame } from '@vantage/shared/protocol/codec.js';
import type { FrameSocket } from './frame-socket.js';
import type { JobsOut } from './jobs-out.js';
import type { LinkConfig } from './link-config.js';

// heartbeats missed before a peer counts as dead
const MISSED_HEARTBEATS = 3;
// a peer may answer its challenge as late as it likes
const MAX_ON_THE_WAY_MS = 10_000;

/** The answer to a heartbeat, from which the agent reads the time (RFC 5905's four timestamps). */
export function heartbeatReply(heartbeat: NonNullable<DecodedAgentFrame['heartbeat']>, nowMs: number): ServerFrame {
  return {
    heartbeat: {
      sequence: heartbeat.sequence,
      isReply: true,
      originMs: heartbeat.transmitMs,
      receiveMs: nowMs,
      transmitMs: nowMs,
    },
  };
}

interface SilenceWatchParts {
  readonly clock: Clock;
  readonly frames: Pick<FrameSocket, 'isWaiting' | 'lastReceivedAt'>;
  readonly jobs: JobsOut;
  readonly config: () => LinkConfig;
  /** From the challenge to its proof, milliseconds. */
  readonly roundTripMs: () => number;
  readonly onSilent: (silentMs: number) => void;
}

/** Agents send heartbeats, faster with work in flight: silence means a dead peer, which TCP alone never tells. */
export class SilenceWatch {
  readonly #parts: SilenceWatchParts;
  #isStopped = false;
  #cancelTimer: (() => void) | null = null;

  constructor(parts: SilenceWatchParts) {
    this.#parts = parts;
  }

  /** Begins to watch, or looks anew after a job made the node busy. */
  look(): void {
    this.#cancelTimer?.();
    if (this.#isStopped) return;
    const { clock, frames } = this.#parts;
    const nowMs = clock.monotonicMs();
    const { limitMs, heardAt } = this.#patience(nowMs);
    // a peer that is kept waiting can't be heard
    const silentMs = frames.isWaiting ? 0 : nowMs - heardAt;
    if (silentMs < limitMs) {
      this.#cancelTimer = clock.after(limitMs - silentMs, () => this.look());
      return;
    }
    // it may be this process that stood still: what the peer sent meanwhile counts
    const { lastReceivedAt } = frames;
    clock.afterInput(() => {
      if (frames.lastReceivedAt !== lastReceivedAt) return this.look();
      this.#parts.onSilent(silentMs);
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer?.();
  }

  /** How long the peer may be silent, and since when; jobs that it never will answer are owed no longer. */
  #patience(nowMs: number): { readonly limitMs: number; readonly heardAt: number } {
    const { frames, jobs, config, roundTripMs } = this.#parts;
    const { heartbeatMs, busyHeartbeatMs } = config();
    jobs.sent.giveUp(nowMs);
    if (!jobs.isBusy) return { limitMs: MISSED_HEARTBEATS * heartbeatMs, heardAt: frames.lastReceivedAt };
    const heardAt = Math.max(frames.lastReceivedAt, jobs.busySince);
    // the job travels there, and the first busy heartbeat back
    const onTheWayMs = Math.min(MAX_ON_THE_WAY_MS, 2 * roundTripMs());
    return { limitMs: MISSED_HEARTBEATS * busyHeartbeatMs + onTheWayMs, heardAt };
  }
}
