import type { HopStatistics } from '@vantage/shared/probe-types/hops.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import type { Answer } from '../../net/icmp.js';
import type { ProbeEngine } from '../engine.js';
import { type MeasuredPath, measurePath, pathResult } from '../hops/measure-path.js';
import { ResultRoom } from '../hops/room.js';
import { Cycles } from './cycles.js';
import { timesOf } from './hop-statistics.js';

/** Addresses reported of one hop at most. */
const maxAddresses = 8;

/** Follows the way to one address of the target again and again; succeeds when the target itself answers. */
export const mtr: ProbeEngine<'mtr'> = {
  isTimedByIcmp: () => true,
  async run(spec, context) {
    const { max_hops: maxHops, cycles, interval_ms: intervalMs, flows } = spec.params;
    const measured = await measurePath(spec, new Cycles({ cycles, intervalMs, maxHops, flows }), context);
    return { ...pathResult(spec, measured), hops: hopsOf(measured) };
  },
};

/** Every hop a packet was sent to, up to the target; the silent ones included. */
function hopsOf({ path, names }: MeasuredPath): HopStatistics[] {
  const room = new ResultRoom(names);
  const answered = path?.answeredByHop();
  return [...(path?.byHop() ?? [])].map(([ttl, packets]) => {
    const answers = (answered?.get(ttl) ?? []).flatMap(({ answer }) => answer ?? []);
    const sent = packets.filter(({ isRefused }) => !isRefused).length;
    return {
      ttl,
      ...countsOf(sent, answers.length),
      ...timesOf(answers.map(({ rttMs }) => rttMs)),
      ...whoOf(answers, room),
    };
  });
}

function countsOf(sent: number, received: number): Pick<HopStatistics, 'sent' | 'received' | 'loss_pct'> {
  return { sent, received, loss_pct: sent === 0 ? 0 : roundMs(((sent - received) / sent) * 100) };
}

function whoOf(answers: readonly Answer[], room: ResultRoom) {
  const ip = [...new Set(answers.map(({ from }) => from))].slice(0, maxAddresses);
  const last = answers.at(-1);
  return {
    ip,
    hostname: ip.map((address) => room.nameOf(address)),
    icmp_type: last?.name ?? null,
    icmp_code: last?.code ?? null,
    ...room.stack(last?.mpls ?? []),
  };
}
