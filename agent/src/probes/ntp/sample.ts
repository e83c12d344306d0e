import type { NtpReply } from './packet.js';
import { differenceMs, toTimestamp } from './timestamp.js';

/** One request and its answer. */
export interface Sample {
  readonly reply: NtpReply;
  /** Server minus node, milliseconds. */
  readonly offsetMs: number;
  /** Delay, never below 0, although the two clocks may give a negative one. */
  readonly delayMs: number;
  /** Greatest error of `offsetMs`: the two directions may share the delay in any proportion. */
  readonly offsetErrorMs: number;
}

/** Times of a request and its reply: monotonic milliseconds, and the anchors that convert them to wall time. */
export interface Exchange {
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
  readonly wall: { readonly offsetMs: number; readonly errorMs: number };
}

/** Offset and delay from the four timestamps (RFC 5905 section 8). */
export function sampleOf(reply: NtpReply, { sentAtMs, receivedAtMs, wall }: Exchange): Sample {
  const there = differenceMs(reply.receivedAt, toTimestamp(wall.offsetMs + sentAtMs));
  const back = differenceMs(reply.sentAt, toTimestamp(wall.offsetMs + receivedAtMs));
  const delayMs = Math.max(0, receivedAtMs - sentAtMs - differenceMs(reply.sentAt, reply.receivedAt));
  return { reply, offsetMs: (there + back) / 2, delayMs, offsetErrorMs: delayMs / 2 + wall.errorMs };
}

/** The sample that waited least in queues: the one with the smallest delay; null of none. */
export function bestOf(samples: readonly Sample[]): Sample | null {
  return samples.reduce<Sample | null>(
    (best, sample) => (best === null || sample.delayMs < best.delayMs ? sample : best),
    null,
  );
}

/** Root mean square of the other offsets' distance from the best (RFC 5905 section 10); null with fewer than two. */
export function jitterOf(samples: readonly Sample[]): number | null {
  const best = bestOf(samples);
  if (best === null || samples.length < 2) return null;
  const squares = samples.reduce((sum, { offsetMs }) => sum + (offsetMs - best.offsetMs) ** 2, 0);
  return Math.sqrt(squares / (samples.length - 1));
}
