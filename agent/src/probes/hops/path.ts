import { type Answer, unreachableCode } from '../../net/icmp.js';
import { ProbeFailure } from '../failure.js';

/** A packet to send: after how many hops it dies, and which flow it belongs to, from 0. */
export interface Packet {
  readonly ttl: number;
  readonly flow: number;
}

/** A packet that was sent. */
export interface SentPacket extends Packet {
  /** Time at which it was handed over, then the time at which it left. */
  sentAtMs: number;
  hasLeft: boolean;
  /** True if this machine could not send it, which says nothing about the path. */
  isRefused: boolean;
  answer: Answer | null;
}

// The timeout of a packet follows traceroute's `-w MAX,HERE,NEAR`: a multiple of the time of another packet to the same
// hop, else a multiple of the time to the next hop that replied.
const hereFactor = 3;
const nearFactor = 10;
/** Shortest time before a hop is given up: routers may take tens of milliseconds to create an error. */
const shortestWaitMs = 100;

/** Path to a target as far as its answers have come in. A packet's number is its position in order of sending. */
export class Path {
  readonly #target: string;
  readonly #maxHops: number;
  readonly #timeoutMs: number;
  readonly #packets: SentPacket[] = [];
  readonly #answered: SentPacket[] = [];
  readonly #waiting = new Set<number>();
  readonly #slowestMs = new Map<number, number>();
  readonly #ends = new Map<number, { readonly ttl: number; readonly answer: Answer }>();

  /** @param target address whose own answer means that it was reached, spelled as answers spell it */
  constructor({ target, maxHops, timeoutMs }: { target: string; maxHops: number; timeoutMs: number }) {
    this.#target = target;
    this.#maxHops = maxHops;
    this.#timeoutMs = timeoutMs;
  }

  /** Records a packet that is handed over now. @returns its number */
  markSent(packet: Packet, nowMs: number): number {
    const index = this.#packets.length;
    this.#packets.push({ ...packet, sentAtMs: nowMs, hasLeft: false, isRefused: false, answer: null });
    this.#waiting.add(index);
    return index;
  }

  /** The system may have made it wait. */
  markLeft(index: number, atMs: number): void {
    const packet = this.#packets[index];
    if (packet !== undefined) Object.assign(packet, { sentAtMs: atMs, hasLeft: true });
  }

  /** A second answer to a packet changes nothing; one that comes after its packet was given up is an answer. */
  record(answer: Answer): void {
    const packet = this.#packets[answer.index];
    if (packet === undefined || packet.answer !== null) return;
    packet.answer = answer;
    this.#answered.push(packet);
    this.#waiting.delete(answer.index);
    this.#slowestMs.set(packet.ttl, Math.max(answer.rttMs, this.#slowestMs.get(packet.ttl) ?? 0));
    // a target may be a router too: that a packet died there does not mean that it arrived
    if (answer.name !== 'time_exceeded') this.#endFlow(packet, answer);
  }

  /** The packet did not leave. */
  refuse(index: number): void {
    const packet = this.#packets[index];
    if (packet !== undefined) packet.isRefused = true;
    this.#waiting.delete(index);
  }

  /** Stops waiting for what is overdue. @returns when the next packet will be; null when none is waited for */
  giveUpOverdue(nowMs: number): number | null {
    let nextMs: number | null = null;
    for (const index of this.#waiting) {
      const packet = this.#packets[index];
      const dueMs = packet === undefined ? nowMs : packet.sentAtMs + this.#patienceMs(packet);
      if (dueMs <= nowMs) this.#waiting.delete(index);
      else nextMs = Math.min(dueMs, nextMs ?? dueMs);
    }
    return nextMs;
  }

  /** The hop at which a flow ends, as far as that is known. */
  lastTtl(flow: number): number {
    return this.#ends.get(flow)?.ttl ?? this.#maxHops;
  }

  /** The farthest hop that answered any packet; 0 before the first answer. */
  get farthestAnswer(): number {
    return Math.max(0, ...this.#slowestMs.keys());
  }

  /** Packets waited for that can still show something. */
  get inFlight(): number {
    return [...this.#waiting].filter((index) => this.#matters(this.#packets[index])).length;
  }

  get isReached(): boolean {
    return [...this.#ends.values()].some(({ answer }) => answer.from === this.#target);
  }

  /** Reason why the target was not reached; null when it was. */
  failure(): ProbeFailure | null {
    if (this.isReached) return null;
    const [end] = this.#ends.values();
    if (end === undefined)
      return new ProbeFailure('no_reply', `no reply from ${this.#target} within ${this.#maxHops} hops`);
    const { name, from } = end.answer;
    return new ProbeFailure(unreachableCode(name) ?? 'no_reply', `${from} answered "${name}"`);
  }

  /** Packets sent up to the end of each flow, by hop, in order of sending; hops without a packet are omitted. */
  byHop(): ReadonlyMap<number, readonly SentPacket[]> {
    return groupByTtl(this.#packets.filter((packet) => this.#matters(packet)));
  }

  /** The same of what was answered, in the order of the answers. */
  answeredByHop(): ReadonlyMap<number, readonly SentPacket[]> {
    return groupByTtl(this.#answered.filter((packet) => this.#matters(packet)));
  }

  #matters(packet: SentPacket | undefined): boolean {
    return packet !== undefined && packet.ttl <= this.lastTtl(packet.flow);
  }

  /** Ends a flow at the nearest hop; a router that refuses some packets does not undo that others reached the target. */
  #endFlow({ ttl, flow }: Packet, answer: Answer): void {
    const end = this.#ends.get(flow);
    const [isTarget, wasTarget] = [answer, end?.answer].map((one) => one?.from === this.#target);
    const isBetter = isTarget === wasTarget ? end === undefined || ttl < end.ttl : isTarget;
    if (isBetter) this.#ends.set(flow, { ttl, answer });
  }

  #patienceMs({ ttl, hasLeft }: SentPacket): number {
    if (!hasLeft) return this.#timeoutMs;
    const here = this.#slowestMs.get(ttl);
    if (here !== undefined) return this.#boundedWait(here * hereFactor);
    for (let farther = ttl + 1; farther <= this.#maxHops; farther += 1) {
      const near = this.#slowestMs.get(farther);
      if (near !== undefined) return this.#boundedWait(near * nearFactor);
    }
    return this.#timeoutMs;
  }

  #boundedWait(ms: number): number {
    return Math.min(this.#timeoutMs, Math.max(shortestWaitMs, ms));
  }
}

function groupByTtl(packets: readonly SentPacket[]): Map<number, SentPacket[]> {
  const hops = new Map<number, SentPacket[]>();
  for (const packet of [...packets].sort((a, b) => a.ttl - b.ttl)) {
    const hop = hops.get(packet.ttl) ?? [];
    hop.push(packet);
    hops.set(packet.ttl, hop);
  }
  return hops;
}
