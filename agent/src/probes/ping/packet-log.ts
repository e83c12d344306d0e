import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import type { PingIcmpError } from '@vantage/shared/probe-types/ping-reply.js';
import { deviationOf, meanOf, percentileOf, roundMs } from '@vantage/shared/probe-types/statistics.js';
import type { ProbeFailure } from '../failure.js';

type PingResult = ProbeResults['ping'];
type Reply = PingResult['replies'][number];

/** Duplicates listed at most; a broken network can make any number of them. */
const maxDuplicates = 150;
/** Value for a hop limit that the system hides. */
const noTtl = -1;

/** Parameters of the ping that a log records. */
export interface PacketLogOptions {
  /** Packets that are going to be sent, numbered from 0. */
  readonly count: number;
  /** Time after which a reply is late, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Outcome of each packet of one ping. A packet is awaited until its first reply, an error or its timeout:
 *
 *   waiting -- reply in time --> received     (also after an error: the reply is the better witness)
 *      |------ late reply -----> late, which is lost
 *      |------ ICMP error -----> lost, with the error
 *      `------ timeout --------> lost; what comes later is late
 *
 * A reply is late by its own time and not by the timer, which a busy process may serve first. While packets are in
 * flight only numbers are recorded; the list of replies is built from them at the end.
 */
export class PacketLog {
  readonly #count: number;
  readonly #timeoutMs: number;
  readonly #isWaiting: Uint8Array;
  #waiting = 0;
  /** Round-trip times of the first reply to each packet, late ones included; NaN where there is none. */
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

  /** Records a reply; its time may be of any clock. */
  answer(seq: number, rttMs: number, ttl: number | null): void {
    this.#endWait(seq);
    if (this.#isAnswered(seq)) this.#addDuplicate(seq, rttMs, ttl);
    else this.#addFirst(seq, rttMs, ttl);
  }

  /** Records a packet that was not answered in time, or for which an error arrived. */
  lose(seq: number, reason: ProbeFailure | null, error: PingIcmpError | null = null): void {
    if (!this.#endWait(seq)) return;
    if (reason !== null) this.#trouble = reason;
    if (error !== null) this.#errors.set(seq, error);
  }

  /** Records a packet that this machine could not send, which says nothing about loss on the path. */
  refuse(seq: number, reason: ProbeFailure): void {
    this.lose(seq, reason);
    this.#refused.add(seq);
  }

  /** True if there is nothing more to send and nothing to wait for. */
  get isSettled(): boolean {
    return this.#sent === this.#count && this.#waiting === 0;
  }

  /** True if a packet was answered in time. */
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
