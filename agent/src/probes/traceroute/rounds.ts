import { tracerouteRound } from '@vantage/shared/probe-types/traceroute.js';
import type { Packet, Path } from '../hops/path.js';
import type { Schedule, Step } from '../hops/schedule.js';

/** Packets waited for at once without a pause between them, as traceroute has it (`-N 16`). */
const burst = 16;
/** Pause between further packets: silent hops do not delay the others, and 30 hops are probed within half a second. */
const paceMs = 5;
/** Packets of one trace at most: a loop of routers that all answer would fill any result. */
const maxPackets = 1000;

interface PlannedPacket extends Packet {
  readonly round: number;
}

/** Parameters of the rounds. */
export interface RoundOptions {
  readonly maxHops: number;
  /** Per hop and flow. */
  readonly queries: number;
  readonly flows: number;
}

/**
 * Packets in rounds a second apart, each from the first hop to the last with at most three packets per hop: Linux routers
 * answer bursts of six errors to one address, then one a second (net.ipv4.icmp_ratelimit), and a second trace through the
 * same router must find some left.
 */
export class Rounds implements Schedule {
  readonly #plan: readonly PlannedPacket[];
  #next = 0;
  #sent = 0;
  #lastSentMs = Number.NEGATIVE_INFINITY;
  #round = { number: 0, startMs: Number.NEGATIVE_INFINITY };

  constructor(options: RoundOptions) {
    this.#plan = planRounds(options);
  }

  next(path: Path, nowMs: number): Step {
    const packet = this.#upcoming(path);
    if (packet === undefined || this.#sent >= maxPackets) return { kind: 'done' };
    const untilMs = packet.round > this.#round.number ? this.#round.startMs + tracerouteRound.ms : this.#paceMs(path);
    if (nowMs < untilMs) return { kind: 'wait', untilMs };
    if (packet.round > this.#round.number || this.#sent === 0) this.#round = { number: packet.round, startMs: nowMs };
    this.#next += 1;
    this.#sent += 1;
    this.#lastSentMs = nowMs;
    return { kind: 'send', packet: { ttl: packet.ttl, flow: packet.flow } };
  }

  #paceMs(path: Path): number {
    return path.inFlight < burst ? Number.NEGATIVE_INFINITY : this.#lastSentMs + paceMs;
  }

  /** Passes over what lies behind the end of its flow. */
  #upcoming(path: Path): PlannedPacket | undefined {
    for (;;) {
      const packet = this.#plan[this.#next];
      if (packet === undefined || packet.ttl <= path.lastTtl(packet.flow)) return packet;
      this.#next += 1;
    }
  }
}

/** Every flow has its first packet to a hop before any has its second. */
function planRounds({ maxHops, queries, flows }: RoundOptions): PlannedPacket[] {
  const plan: PlannedPacket[] = [];
  const perHop = queries * flows;
  for (let first = 0; first < perHop; first += tracerouteRound.packets) {
    const round = first / tracerouteRound.packets;
    const last = Math.min(perHop, first + tracerouteRound.packets);
    for (let ttl = 1; ttl <= maxHops; ttl += 1)
      for (let i = first; i < last; i += 1) plan.push({ ttl, flow: i % flows, round });
  }
  return plan;
}
