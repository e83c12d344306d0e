import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import type { PingIcmpError } from '@vantage/shared/probe-types/ping.js';
import { deviationOf, meanOf, percentileOf, roundMs } from '@vantage/shared/probe-types/statistics.js';
import type { ProbeFailure } from '../failure.js';

type PingResult = ProbeResults['ping'];
type Reply = PingResult['replies'][number];

/** Duplicates listed at most; a broken network can make any number of them. */
const maxDuplicates = 150;
/** Stands for a hop limit that the system hides. */
const noTtl = -1;

/** What a log is told of its ping. */
export interface PacketLogOptions {
  /** Packets that are going to be sent, numbered from 0. */
  readonly count: number;
  /** After so long a reply is late. */
  readonly timeoutMs: number;
}

/**
 * What became of each packet of one ping. A packet is waited for until its first reply, an error or its timeout:
 *
 *   waiting -- reply in time --> received     (also after an error: the reply is the better witness)
 *      |------ late reply -----> late, which is lost
 *      |------ ICMP error -----> lost, with the error
 *      `------ timeout --------> lost; what comes later is late
 *
 * Whether a reply is late its own time decides, not the timer, which a busy process may see to first. What is written down
 * while packets fly is numbers; the list of replies is made of them at the end.
 */
export class PacketLog {
  readonly #count: number;
  readonly #timeoutMs: number;
  readonly #isWaiting: Uint8Array;
  #waiting = 0;
  /** Of the first reply to each packet, late ones included; NaN where there is none. */
  readonly #rttsMs: Float64Array;
  readonly #ttls: Int16Array;
  #replied = 0;
  readonly #errors = new Map<number, PingIcmpError>();
  readonly #listedDuplicates: Reply[] = [];
  readonly #refused = new Set<number>();
  #sent = 0;
  #received = 0;
  #duplicates = 0;
  #outOfOrder = 0;
  #latestReceived = -1;
  #trouble: ProbeFailure | null = null;

  constructor({ count, timeoutMs }: PacketLogOptions) {
    this.#count = count;
    this.#timeoutMs = timeoutMs;
    this.#isWaiting = new Uint8Array(count);
    this.#rttsMs = new Float64Array(count).fill(Number.NaN);
    this.#ttls = new Int16Array(count);
  }

  /** Packets leave in order. */
  markSent(seq: number): void {
    this.#sent = seq + 1;
    this.#isWaiting[seq] = 1;
    this.#waiting += 1;
  }

  /** A reply came, by whatever clock its time was taken. */
  answer(seq: number, rttMs: number, ttl: number | null): void {
    this.#endWait(seq);
    if (this.#isAnswered(seq)) this.#addDuplicate(seq, rttMs, ttl);
    else this.#addFirst(seq, rttMs, ttl);
  }

  /** Nobody answered in time, or somebody said why nobody will. */
  lose(seq: number, reason: ProbeFailure | null, error: PingIcmpError | null = null): void {
    if (!this.#endWait(seq)) return;
    if (reason !== null) this.#trouble = reason;
    if (error !== null) this.#errors.set(seq, error);
  }

  /** This machine could not send the packet, which says nothing about loss on the way. */
  refuse(seq: number, reason: ProbeFailure): void {
    this.lose(seq, reason);
    this.#refused.add(seq);
  }

  /** Nothing more to send and nothing to wait for. */
  get isSettled(): boolean {
    return this.#sent === this.#count && this.#waiting === 0;
  }

  /** Some packet was answered in time. */
  get hasAnswer(): boolean {
    return this.#received > 0;
  }

  /** Packets answered after their time. */
  get late(): number {
    return this.#replied - this.#received;
  }

  /** The last reason given for a loss. */
  get trouble(): ProbeFailure | null {
    return this.#trouble;
  }

  /** The measured part of a result; packets without an answer are listed with `rtt_ms` null. */
  summary(): Omit<PingResult, 'success' | 'error' | 'resolved_ip' | 'ip_version'> {
    const sent = this.#sent - this.#refused.size;
    return {
      packets_sent: sent,
      packets_received: this.#received,
      loss_pct: sent === 0 ? 0 : roundMs(((sent - this.#received) / sent) * 100),
      packets_duplicate: this.#duplicates,
      packets_late: this.late,
      packets_out_of_order: this.#outOfOrder,
      rtt: this.#times(),
      replies: this.#listReplies(),
    };
  }

  /** @returns whether it was waited for */
  #endWait(seq: number): boolean {
    const wasWaiting = this.#isWaiting[seq] === 1;
    this.#isWaiting[seq] = 0;
    if (wasWaiting) this.#waiting -= 1;
    return wasWaiting;
  }

  #isAnswered(seq: number): boolean {
    return !Number.isNaN(this.#rttsMs[seq]);
  }

  #addFirst(seq: number, rttMs: number, ttl: number | null): void {
    this.#rttsMs[seq] = rttMs;
    this.#ttls[seq] = ttl ?? noTtl;
    this.#replied += 1;
    if (rttMs > this.#timeoutMs) return;
    this.#received += 1;
    if (seq < this.#latestReceived) this.#outOfOrder += 1;
    else this.#latestReceived = seq;
  }

  #addDuplicate(seq: number, rttMs: number, ttl: number | null): void {
    this.#duplicates += 1;
    if (this.#listedDuplicates.length >= maxDuplicates) return;
    this.#listedDuplicates.push({ ...this.#replyOf(seq, rttMs, ttl), duplicate: true });
  }

  #replyOf(seq: number, rttMs: number, ttl: number | null): Reply {
    return { seq, ttl, rtt_ms: roundMs(rttMs), duplicate: false, late: rttMs > this.#timeoutMs, icmp_error: null };
  }

  #times(): PingResult['rtt'] {
    const rtts = [...this.#rttsMs].filter((rttMs) => rttMs <= this.#timeoutMs).map((rttMs) => roundMs(rttMs));
    return {
      min_ms: rtts.length === 0 ? null : Math.min(...rtts),
      avg_ms: roundMs(meanOf(rtts)),
      max_ms: rtts.length === 0 ? null : Math.max(...rtts),
      mdev_ms: roundMs(deviationOf(rtts)),
      p95_ms: percentileOf(rtts, 0.95),
    };
  }

  #listReplies(): Reply[] {
    const packets = Array.from({ length: this.#sent }, (_, seq) => this.#fateOf(seq));
    const left = packets.filter(({ seq }) => !this.#refused.has(seq));
    return [...left, ...this.#listedDuplicates].sort((a, b) => a.seq - b.seq);
  }

  #fateOf(seq: number): Reply {
    const ttl = this.#ttls[seq] ?? noTtl;
    if (this.#isAnswered(seq)) return this.#replyOf(seq, this.#rttsMs[seq] ?? 0, ttl === noTtl ? null : ttl);
    const error = this.#errors.get(seq) ?? null;
    return { seq, ttl: null, rtt_ms: null, duplicate: false, late: false, icmp_error: error };
  }
}
