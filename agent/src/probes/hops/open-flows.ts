import type { TraceSpec } from '@vantage/shared/probe-types/trace-params.js';
import { checkTracerouteUdpPort } from '@vantage/shared/target-policy/ports.js';
import type { Flow, FlowListener, IcmpEngine } from '../../net/icmp.js';
import type { ResolvedAddress } from '../../net/resolved-address.js';
import { refusing } from '../failure.js';

/** Keeps the whole IPv6 packet within 64 bytes. */
const echoPayloadBytes = 16;
const defaultPorts = { udp: 33434, tcp: 80 } as const;

/** Parameters for opening the flows of a path. */
export interface FlowRequest {
  readonly icmp: IcmpEngine;
  readonly target: ResolvedAddress;
  readonly params: TraceSpec['params'];
  readonly listener: FlowListener;
}

/**
 * Opens the requested number of flows. Ports and identifiers of each stay the same for every packet, so that routers
 * which balance by flow keep it on one path; flows differ in identifier (ICMP) or source port, so no packet leaves
 * the ports of UDP traceroute. @throws ProbeFailure target_not_allowed
 */
export async function openFlows(request: FlowRequest): Promise<Flow[]> {
  const flows: Flow[] = [];
  try {
    while (flows.length < request.params.flows) flows.push(await openFlow(request));
    return flows;
  } catch (error) {
    for (const flow of flows) flow.close();
    throw error;
  }
}

async function openFlow({ icmp, target, params, listener }: FlowRequest): Promise<Flow> {
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
