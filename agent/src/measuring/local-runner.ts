import { type Clock, systemClock } from '@vantage/shared/clock.js';
import { rootServersOf } from '../net/dns/root-hints.js';
import type { IcmpEngine } from '../net/icmp.js';
import { readOwnAddresses } from '../net/own-addresses.js';
import { nodeResolver } from '../net/resolver.js';
import { agentUserAgent } from '../net/user-agent.js';
import { makeEngines } from '../probes/index.js';
import type { MeasuringRoom, RoomOptions } from './child-loop.js';
import { PolicySource } from './policy-source.js';
import { ProbeSchemas } from './probe-schemas.js';
import { ProbeRunner } from './runner.js';
import { warmUp } from './warm-up.js';

/** A runner with the real engines, warmed up: the first probe is measured as well as the hundredth. */
export async function makeLocalRunner(
  options: Pick<RoomOptions, 'settings' | 'serviceUrl' | 'onEngineFault'> & {
    readonly icmp: IcmpEngine | null;
    readonly clock?: Clock;
  },
): Promise<MeasuringRoom> {
  const { icmp, onEngineFault, settings, serviceUrl, clock = systemClock } = options;
  const { allow, dnsServers, rootHints } = settings;
  const common = {
    engines: makeEngines(settings),
    resolver: nodeResolver(dnsServers, clock),
    icmp,
    clock,
    userAgent: agentUserAgent(serviceUrl),
    rootServers: rootServersOf(rootHints),
    schemas: new ProbeSchemas(),
    onEngineFault,
  };
  await warmUp(common);
  const resolvers = dnsServers.map(({ address }) => address);
  const policy = new PolicySource({ clock, allow, readOwn: () => [...readOwnAddresses(), ...resolvers] });
  const runner = new ProbeRunner({ ...common, policy });
  return { runner, setLists: (lists) => policy.setLists(lists) };
}
