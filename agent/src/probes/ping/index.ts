import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { ping as definition } from '@vantage/shared/probe-types/ping.js';
import type { ResolvedAddress } from '../../net/resolved-address.js';
import type { ProbeContext, ProbeEngine } from '../engine.js';
import { ProbeFailure, toProbeError } from '../failure.js';
import { endingOf, requireEcho, resolveOne } from '../one-target.js';
import { exchangeConnects } from './connect-exchange.js';
import { exchangeEchoes } from './echo-exchange.js';
import { PacketLog } from './packet-log.js';

const defaultTcpPort = 80;

/** Pings one address of the target; succeeds with at least one reply, and ends with the last one. */
export const ping: ProbeEngine<'ping'> = {
  // between its packets it waits: measured, 0.06 to 0.26 units at a packet a second, 0.07 to 0.36 at five
  load: { units: ({ params }) => (params.count > 1 ? 0.5 : 1) },
  isTimedByIcmp: ({ params }) => params.protocol === 'icmp',
  async run(spec, context) {
    const log = new PacketLog({ count: spec.params.count, timeoutMs: spec.params.timeout_ms });
    let target: ResolvedAddress | null = null;
    try {
      const exchange = chooseExchange(spec, context);
      target = await resolveOne(definition.targetHost(spec), spec.params.ip_version, context);
      await exchange(target, log);
      return resultOf(target, log, verdictOf(target, log));
    } catch (error) {
      return resultOf(target, log, endingOf(error, target));
    }
  },
};

type Exchange = (target: ResolvedAddress, log: PacketLog) => Promise<void>;

function chooseExchange({ params }: ProbeSpecs['ping'], context: ProbeContext): Exchange {
  if (params.protocol === 'tcp') {
    return (target, log) => exchangeConnects(params.port ?? defaultTcpPort, target, log, { params, context });
  }
  const icmp = requireEcho(context);
  return (target, log) => exchangeEchoes(icmp, target, log, { params, context });
}

function verdictOf(target: ResolvedAddress, log: PacketLog): ProbeFailure | null {
  if (log.hasAnswer) return null;
  const late = log.late === 0 ? '' : ` in time, ${log.late} late`;
  return log.trouble ?? new ProbeFailure('no_reply', `no reply from ${target.address}${late}`);
}

function resultOf(target: ResolvedAddress | null, log: PacketLog, failure: ProbeFailure | null): ProbeResults['ping'] {
  return {
    success: failure === null,
    error: failure === null ? null : toProbeError(failure),
    resolved_ip: target?.address ?? null,
    ip_version: target?.family ?? null,
    ...log.summary(),
  };
}
