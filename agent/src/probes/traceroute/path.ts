import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import { type Answer, type AnswerName, unreachableCode } from '../../net/icmp.js';
import { ProbeFailure } from '../failure.js';

type Hop = ProbeResults['traceroute']['hops'][number];
type HopReply = Hop['replies'][number];

/** One packet of a trace; its number is its place in the plan. */
export interface PlannedProbe {
  readonly ttl: number;
}

/**
 * Packets per hop and round. Linux routers answer bursts of six errors to one address, then one a second
 * (net.ipv4.icmp_ratelimit); a second trace through the same router must find some left.
 */
const roundQueries = 3;

/** All packets in the order they are sent: rounds of at most three per hop, each from the first hop to the last. */
export function planProbes(maxHops: number, queries: number): PlannedProbe[] {
  const plan: PlannedProbe[] = [];
  for (let done = 0; done < queries; done += roundQueries) {
    const perHop = Math.min(roundQueries, queries - done);
    for (let ttl = 1; ttl <= maxHops; ttl += 1) for (let i = 0; i < perHop; i += 1) plan.push({ ttl });
  }
  return plan;
}

/** What is known of the way to a target while its answers come in. */
export class Path {
  readonly #target: string;
  readonly #plan: readonly PlannedProbe[];
  readonly #replies = new Map<number, HopReply>();
  readonly #waiting = new Set<number>();
  #next = 0;
  #lastTtl: number;
  #end: Answer | null = null;

  /** @param target address whose own answer means that it was reached, spelled as answers spell it */
  constructor(target: string, plan: readonly PlannedProbe[]) {
    this.#target = target;
    this.#plan = plan;
    this.#lastTtl = Math.max(0, ...plan.map((probe) => probe.ttl));
  }

  /** Takes the next packet worth sending, which waits from now on; null when there is none. */
  takeNext(): { readonly index: number; readonly ttl: number } | null {
    while (this.#next < this.#plan.length) {
      const index = this.#next;
      this.#next += 1;
      const ttl = this.#ttlOf(index);
      if (ttl > this.#lastTtl) continue;
      this.#waiting.add(index);
      return { index, ttl };
    }
    return null;
  }

  /** Packets that may still be answered. */
  get inFlight(): number {
    return this.#waiting.size;
  }

  /** An answer that is late, or a second one, changes nothing. */
  record(answer: Answer): void {
    if (!this.#waiting.delete(answer.index)) return;
    const ttl = this.#ttlOf(answer.index);
    this.#replies.set(answer.index, { ip: answer.from, rtt_ms: roundMs(answer.rttMs), icmp_type: answer.name });
    if (!this.#endsPath(answer) || ttl > this.#lastTtl) return;
    if (this.#end === null || ttl < this.#lastTtl || answer.from === this.#target) this.#end = answer;
    this.#lastTtl = ttl;
  }

  giveUp(index: number): void {
    this.#waiting.delete(index);
  }

  /** Nothing to send or to wait for up to the last hop. */
  get isSettled(): boolean {
    const matters = (index: number) => this.#ttlOf(index) <= this.#lastTtl;
    const hasMore = this.#plan.some((_, index) => index >= this.#next && matters(index));
    return !hasMore && ![...this.#waiting].some(matters);
  }

  get isReached(): boolean {
    return this.#end?.from === this.#target;
  }

  /** Why the target was not reached; null when it was. */
  failure(): ProbeFailure | null {
    if (this.isReached) return null;
    const end = this.#end;
    if (end === null) return new ProbeFailure('no_reply', `no reply from ${this.#target} within ${this.#lastTtl} hops`);
    return new ProbeFailure(unreachableCode(end.name) ?? 'no_reply', `${end.from} answered "${end.name}"`);
  }

  /** Every hop a packet was sent to, up to the one that ended the path; the silent ones included. */
  hops(): Hop[] {
    const hops = new Map<number, Hop>();
    for (let index = 0; index < this.#next; index += 1) {
      const ttl = this.#ttlOf(index);
      if (ttl > this.#lastTtl) continue;
      const hop = hops.get(ttl) ?? { ttl, replies: [] };
      hop.replies.push(this.#replies.get(index) ?? { ip: null, rtt_ms: null, icmp_type: null });
      hops.set(ttl, hop);
    }
    return [...hops.values()];
  }

  /** A target may be a router too: that a packet died there does not mean that it arrived. */
  #endsPath({ name }: { readonly name: AnswerName }): boolean {
    return name !== 'time_exceeded';
  }

  #ttlOf(index: number): number {
    return this.#plan[index]?.ttl ?? Number.POSITIVE_INFINITY;
  }
}
