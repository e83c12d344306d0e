import { afterMessages, type Clock } from '@vantage/shared/clock.js';
import type { DecodedAgentFrame, ServerFrame } from '@vantage/shared/protocol/codec.js';
import type { FrameSocket } from '../sockets/frame-socket.js';
import type { JobsOut } from './jobs-out.js';
import type { LinkConfig } from './link-config.js';

// heartbeats missed before a peer counts as dead
const MISSED_HEARTBEATS = 3;
// a peer may answer its challenge as late as it likes
const MAX_ON_THE_WAY_MS = 10_000;

/** Reply to a heartbeat, from which the agent reads the time (RFC 5905's four timestamps). */
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
  /** Time from the challenge to its proof, milliseconds. */
  readonly roundTripMs: () => number;
  readonly onSilent: (silentMs: number) => void;
}

/**
 * Watch on the heartbeats of a peer. Agents send more of them while they have work: silence means a dead peer, which
 * TCP alone never reports.
 */
export class SilenceWatch {
  readonly #parts: SilenceWatchParts;
  #isStopped = false;
  #cancelTimer: (() => void) | null = null;

  constructor(parts: SilenceWatchParts) {
    this.#parts = parts;
  }

  /** Begins to watch, or recomputes the deadline after a job made the node busy. */
  look(): void {
    this.#cancelTimer?.();
    if (this.#isStopped) return;
    const { clock, frames } = this.#parts;
    const nowMs = clock.monotonicMs();
    const { limitMs, heardAt } = this.#patience(nowMs);
    // a peer that is not being read cannot be heard
    const silentMs = frames.isWaiting ? 0 : nowMs - heardAt;
    if (silentMs < limitMs) {
      this.#cancelTimer = clock.after(limitMs - silentMs, () => this.look());
      return;
    }
    // this process may have been suspended: frames that the peer sent meanwhile count
    const { lastReceivedAt } = frames;
    afterMessages(clock, () => {
      if (frames.lastReceivedAt !== lastReceivedAt) this.look();
      else if (!this.#isStopped) this.#parts.onSilent(silentMs);
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer?.();
  }

  /**
   * Time for which the peer may be silent, and its beginning; jobs that it will never answer are not owed any longer.
   */
  #patience(nowMs: number): { readonly limitMs: number; readonly heardAt: number } {
    const { frames, jobs, config, roundTripMs } = this.#parts;
    const { heartbeatMs, busyHeartbeatMs } = config();
    jobs.sent.giveUp(nowMs);
    if (!jobs.isBusy) return { limitMs: MISSED_HEARTBEATS * heartbeatMs, heardAt: frames.lastReceivedAt };
    const heardAt = Math.max(frames.lastReceivedAt, jobs.busySince);
    // the job travels to the agent, and the first busy heartbeat back
    const onTheWayMs = Math.min(MAX_ON_THE_WAY_MS, 2 * roundTripMs());
    return { limitMs: MISSED_HEARTBEATS * busyHeartbeatMs + onTheWayMs, heardAt };
  }
}
