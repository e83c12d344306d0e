import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import { deviationOf, meanOf, percentileOf, roundMs } from '@vantage/shared/probe-types/statistics.js';
import type { ProbeFailure } from '../failure.js';

type PingResult = ProbeResults['ping'];
type Reply = PingResult['replies'][number];

/** Duplicates listed at most; a broken network can make any number of them. */
const maxDuplicates = 150;

/** What became of each packet of one ping: waiting, then answered or lost, and that once. */
export class PacketLog {
  readonly #count: number;
  readonly #waiting = new Set<number>();
  readonly #answers = new Map<number, Reply>();
  readonly #duplicates: Reply[] = [];
  readonly #refused = new Set<number>();
  #sent = 0;
  #trouble: ProbeFailure | null = null;

  /** @param count packets that are going to be sent, numbered from 0 */
  constructor(count: number) {
    this.#count = count;
  }

  /** Packets leave in order. */
  markSent(seq: number): void {
    this.#sent = seq + 1;
    this.#waiting.add(seq);
  }

  /** A reply to a packet that was given up is too late and counts for nothing. */
  answer(seq: number, rttMs: number, ttl: number | null): void {
    const reply = { seq, ttl, rtt_ms: roundMs(rttMs), duplicate: !this.#waiting.delete(seq) };
    if (!reply.duplicate) this.#answers.set(seq, reply);
    else if (this.#answers.has(seq) && this.#duplicates.length < maxDuplicates) this.#duplicates.push(reply);
  }

  /** Nobody answered in time, or somebody said why nobody will. */
  lose(seq: number, reason: ProbeFailure | null): void {
    if (this.#waiting.delete(seq) && reason !== null) this.#trouble = reason;
  }

  /** This machine could not send the packet, which says nothing about loss on the way. */
  refuse(seq: number, reason: ProbeFailure): void {
    this.lose(seq, reason);
    this.#refused.add(seq);
  }

  /** Nothing more to send and nothing to wait for. */
  get isSettled(): boolean {
    return this.#sent === this.#count && this.#waiting.size === 0;
  }

  get hasAnswer(): boolean {
    return this.#answers.size > 0;
  }

  /** The last reason given for a loss. */
  get trouble(): ProbeFailure | null {
    return this.#trouble;
  }

  /** The measured part of a result; packets without an answer are listed with `rtt_ms` null. */
  summary(): Pick<PingResult, 'packets_sent' | 'packets_received' | 'loss_pct' | 'rtt' | 'replies'> {
    const sent = this.#sent - this.#refused.size;
    const received = this.#answers.size;
    const rtts = [...this.#answers.values()].map((reply) => reply.rtt_ms ?? 0);
    return {
      packets_sent: sent,
      packets_received: received,
      loss_pct: sent === 0 ? 0 : roundMs(((sent - received) / sent) * 100),
      rtt: {
        min_ms: received === 0 ? null : Math.min(...rtts),
        avg_ms: roundMs(meanOf(rtts)),
        max_ms: received === 0 ? null : Math.max(...rtts),
        mdev_ms: roundMs(deviationOf(rtts)),
        p95_ms: percentileOf(rtts, 0.95),
      },
      replies: this.#listReplies(),
    };
  }

  #listReplies(): Reply[] {
    const replies = Array.from({ length: this.#sent }, (_, seq) => this.#answers.get(seq) ?? unanswered(seq));
    const left = replies.filter(({ seq }) => !this.#refused.has(seq));
    return [...left, ...this.#duplicates].sort((a, b) => a.seq - b.seq);
  }
}

function unanswered(seq: number): Reply {
  return { seq, ttl: null, rtt_ms: null, duplicate: false };
}
