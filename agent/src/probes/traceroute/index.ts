import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { traceroute as definition } from '@vantage/shared/probe-types/traceroute.js';
import { checkTracerouteUdpPort } from '@vantage/shared/target-policy/ports.js';
import type { Flow, FlowListener, IcmpEngine } from '../../net/icmp.js';
import type { ResolvedAddress } from '../../net/resolver.js';
import type { ProbeContext, ProbeEngine } from '../engine.js';
import { type ProbeFailure, refusing, toProbeError } from '../failure.js';
import { endingOf, requireIcmp, resolveOne } from '../one-target.js';
import { Path, planProbes } from './path.js';
import { Trace } from './trace.js';

/** Keeps the whole IPv6 packet within 64 bytes. */
const echoPayloadBytes = 16;
const defaultPorts = { udp: 33434, tcp: 80 } as const;

/** Follows the way to one address of the target; succeeds when the target itself answers. */
export const traceroute: ProbeEngine<'traceroute'> = {
  async run(spec, context) {
    let target: ResolvedAddress | null = null;
    let path: Path | null = null;
    try {
      const icmp = requireIcmp(context);
      target = await resolveOne(definition.targetHost(spec), spec.params.ip_version, context);
      path = new Path(target.address, planProbes(spec.params.max_hops, spec.params.queries));
      await measure(icmp, target, path, { spec, context });
      return resultOf(spec, target, path, path.failure());
    } catch (error) {
      return resultOf(spec, target, path, endingOf(error, target));
    }
  },
};

async function measure(
  icmp: IcmpEngine,
  target: ResolvedAddress,
  path: Path,
  { spec, context }: { readonly spec: ProbeSpecs['traceroute']; readonly context: ProbeContext },
): Promise<void> {
  const trace = new Trace({ path, timeoutMs: spec.params.timeout_ms, clock: context.clock });
  const flow = await openFlow(icmp, target, spec, trace);
  try {
    await trace.follow(flow, context.signal);
  } finally {
    flow.close();
  }
}

/**
 * Ports and identifiers stay the same for every packet, so that routers which balance by flow keep to one path, and so
 * that no hop and no query leaves the ports of UDP traceroute. @throws ProbeFailure target_not_allowed
 */
async function openFlow(
  icmp: IcmpEngine,
  target: ResolvedAddress,
  { params }: ProbeSpecs['traceroute'],
  listener: FlowListener,
): Promise<Flow> {
  switch (params.protocol) {
    case 'icmp':
      return icmp.openEcho({ target, payloadBytes: echoPayloadBytes, listener });
    case 'udp': {
      const { port = defaultPorts.udp } = params;
      refusing(() => checkTracerouteUdpPort(port));
      return icmp.openUdp({ target, port, listener });
    }
    case 'tcp':
      return icmp.openTcp({ target, port: params.port ?? defaultPorts.tcp, listener });
  }
}

function resultOf(
  { params }: ProbeSpecs['traceroute'],
  target: ResolvedAddress | null,
  path: Path | null,
  failure: ProbeFailure | null,
): ProbeResults['traceroute'] {
  return {
    success: failure === null,
    error: failure === null ? null : toProbeError(failure),
    resolved_ip: target?.address ?? null,
    ip_version: target?.family ?? null,
    protocol: params.protocol,
    reached: path?.isReached ?? false,
    hops: path?.hops() ?? [],
  };
}
