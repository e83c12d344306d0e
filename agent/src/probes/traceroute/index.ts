import type { Hop, HopReply } from '@vantage/shared/probe-types/hops.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import type { ProbeEngine } from '../engine.js';
import { type MeasuredPath, measurePath, pathResult } from '../hops/measure-path.js';
import type { SentPacket } from '../hops/path.js';
import { ResultRoom } from '../hops/room.js';
import { Rounds } from './rounds.js';

/** Follows the way to one address of the target; succeeds when the target itself answers. */
export const traceroute: ProbeEngine<'traceroute'> = {
  isTimedByIcmp: () => true,
  async run(spec, context) {
    const { max_hops: maxHops, queries, flows, timeout_ms: timeoutMs } = spec.params;
    const measured = await measurePath(spec, new Rounds({ maxHops, queries, flows }), context);
    return { ...pathResult(spec, measured), hops: hopsOf(measured, timeoutMs) };
  },
};

/** Every hop a packet was sent to, up to the one that ended the path; the silent ones included. */
function hopsOf({ path, names }: MeasuredPath, timeoutMs: number): Hop[] {
  const room = new ResultRoom(names);
  return [...(path?.byHop() ?? [])].map(([ttl, packets]) => ({
    ttl,
    replies: packets.map((packet) => replyOf(packet, timeoutMs, room)),
  }));
}

function replyOf({ flow, answer }: SentPacket, timeoutMs: number, room: ResultRoom): HopReply {
  if (answer === null) return { flow: flow + 1, ip: null, rtt_ms: null, icmp_type: null, icmp_code: null };
  const hostname = room.nameOf(answer.from);
  return {
    flow: flow + 1,
    ip: answer.from,
    ...(hostname === null ? {} : { hostname }),
    rtt_ms: roundMs(answer.rttMs),
    icmp_type: answer.name,
    icmp_code: answer.code,
    ...(answer.rttMs > timeoutMs ? { late: true } : {}),
    ...room.stack(answer.mpls),
  };
}
