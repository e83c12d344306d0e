import { isIPv6 } from 'node:net';
import type { ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { type Host, parseHost } from '@vantage/shared/target-policy/host.js';
import type { DnsTransport } from '../../net/dns/ask-options.js';
import { type DnsServer, ownServers } from '../../net/dns/dns-server.js';
import type { QueryBudget } from '../../net/query-budget.js';
import type { ProbeContext } from '../engine.js';
import { ProbeFailure, refusing, refusingAs } from '../failure.js';

/** Ports of servers given without one. */
const defaultPorts: Readonly<Record<DnsTransport, number>> = { udp: 53, tcp: 53, dot: 853, doh: 443 };

/** The server to ask, as it was named, and its address, which has passed the policy. */
export interface ChosenServer {
  readonly host: Host;
  readonly endpoint: DnsServer;
}

/**
 * The node's own resolver on its own port is the one server that the policy does not judge.
 * @throws ProbeFailure target_not_allowed, dns_*; or the signal's reason
 */
export async function chooseServer(
  { params }: ProbeSpecs['dns'],
  { resolver, policy, signal }: Pick<ProbeContext, 'resolver' | 'policy' | 'signal'>,
  budget: QueryBudget,
): Promise<ChosenServer> {
  if (params.server !== undefined) {
    const host = refusing(() => parseHost(params.server ?? '', 'params.server'));
    const request = { host, ipVersion: 'auto', policy, signal, field: 'params.server', budget } as const;
    const { addresses } = await resolver.resolve(request);
    const port = params.port ?? defaultPorts[params.transport];
    return { host, endpoint: { address: addresses[0]?.address ?? '', port } };
  }
  const [own] = ownServers(resolver.servers);
  if (own === undefined) throw new RangeError('no DNS server is configured');
  const isPlain = params.transport === 'udp' || params.transport === 'tcp';
  const port = params.port ?? (isPlain ? own.port : defaultPorts[params.transport]);
  // an error that says if it is allowed, and why, would reveal the address
  if (port !== own.port) refusingAs(notPlain, () => policy.checkAddress(own.address, 'params.port'));
  const host = { kind: 'address', address: own.address, family: isIPv6(own.address) ? 6 : 4 } as const;
  return { host, endpoint: { ...own, port } };
}

function notPlain(cause: Error): ProbeFailure {
  const message = 'the node’s own resolver is queried on its own port, over udp or tcp; set a server for anything else';
  return new ProbeFailure('target_not_allowed', message, { cause });
}
