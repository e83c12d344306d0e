import type { MeasurementType } from '@vantage/shared/probe-types/index.js';
import { BrowserEngine } from './browser/index.js';
import { defaultEngineSettings } from './default-settings.js';
import { dns } from './dns/index.js';
import { DomainEngine } from './domain/index.js';
import type { ProbeEngine } from './engine.js';
import type { EngineSettings } from './engine-settings.js';
import { http } from './http/index.js';
import { IcpEngine } from './icp/index.js';
import { JsonIcpProvider, noIcpProvider } from './icp/provider.js';
import { mtr } from './mtr/index.js';
import { ntp } from './ntp/index.js';
import { ping } from './ping/index.js';
import { RblEngine } from './rbl/index.js';
import { records } from './records/index.js';
import { smtp } from './smtp/index.js';
import { speedtest } from './speedtest/index.js';
import { ssl } from './ssl/index.js';
import { tcp } from './tcp/index.js';
import { traceroute } from './traceroute/index.js';
import { zoneAudit } from './zone-audit/index.js';

/** An engine for everything that is measured, or it does not compile. */
export type Engines = { readonly [T in MeasurementType]: ProbeEngine<T> };

/**
 * Engine of each type on this node. Those without a `load` cost one unit (three runs on a busy machine, 2026-11): tcp
 * 0.8 to 1.3 and dns 0.8 to 2.6 of what http takes while it lasts, traceroute 0.6 to 3.3 for the 0.2 s in which it
 * sends, and little while it waits for silent hops; mtr 0.1 to 0.3 with a cycle a second over five hops, where paths
 * of the internet have four times as many.
 */
const probeEngines = { http, ping, dns, tcp, traceroute, mtr, smtp, ntp, ssl, speedtest };

/** The engines of a node. */
export function makeEngines({ sources, chromium }: Pick<EngineSettings, 'sources' | 'chromium'>): Engines {
  const { blocklists, registries, icpUrl } = sources;
  return {
    ...probeEngines,
    records,
    zone_audit: zoneAudit,
    rbl: new RblEngine(blocklists),
    domain: new DomainEngine(registries),
    browser: new BrowserEngine(chromium),
    icp: new IcpEngine(icpUrl === null ? noIcpProvider : new JsonIcpProvider(icpUrl)),
  };
}

/** The engines of an operator who set nothing. */
export const engines: Engines = makeEngines(defaultEngineSettings);
