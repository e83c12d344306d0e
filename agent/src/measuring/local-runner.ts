import { type Clock, systemClock } from '@vantage/shared/clock.js';
import { rootServersOf } from '../net/dns/root-hints.js';
import type { IcmpEngine } from '../net/icmp.js';
import { systemResolver } from '../net/resolver.js';
import { agentUserAgent } from '../net/user-agent.js';
import { defaultChromiumWish } from '../probes/browser/chromium.js';
import { makeEngines } from '../probes/index.js';
import { defaultSources } from '../probes/sources.js';
import type { MeasuringRoom, RoomOptions } from './child-loop.js';
import { PolicySource } from './policy-source.js';
import { ProbeSchemas } from './probe-schemas.js';
import { ProbeRunner } from './runner.js';
import { warmUp } from './warm-up.js';

/** A runner with the real engines, warmed up: the first probe is measured as well as the hundredth. */
export async function makeLocalRunner(
  options: Pick<RoomOptions, 'allow' | 'serviceUrl' | 'rootHints' | 'sources' | 'chromium' | 'onEngineFault'> & {
    readonly icmp: IcmpEngine | null;
    readonly clock?: Clock;
  },
): Promise<MeasuringRoom> {
  const { icmp, onEngineFault, allow, serviceUrl, rootHints = [], clock = systemClock } = options;
  const { sources = defaultSources, chromium = defaultChromiumWish } = options;
  const common = {
    engines: makeEngines(sources, chromium),
    resolver: systemResolver(clock),
    icmp,
    clock,
    userAgent: agentUserAgent(serviceUrl),
    rootServers: rootServersOf(rootHints),
    schemas: new ProbeSchemas(),
    onEngineFault,
  };
  await warmUp(common);
  const policy = new PolicySource({ clock, allow });
  const runner = new ProbeRunner({ ...common, policy });
  return { runner, setLists: (lists) => policy.setLists(lists) };
}
