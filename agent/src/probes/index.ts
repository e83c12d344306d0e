import type { MeasurementType } from '@vantage/shared/probe-types/index.js';
import { type ChromiumWish, defaultChromiumWish } from './browser/chromium.js';
import { BrowserEngine } from './browser/index.js';
import { dns } from './dns/index.js';
import { DomainEngine } from './domain/index.js';
import type { ProbeEngine } from './engine.js';
import { http } from './http/index.js';
import { IcpEngine } from './icp/index.js';
import { JsonIcpProvider, noIcpProvider } from './icp/provider.js';
import { mtr } from './mtr/index.js';
import { ntp } from './ntp/index.js';
import { ping } from './ping/index.js';
import { RblEngine } from './rbl/index.js';
import { smtp } from './smtp/index.js';
import { defaultSources, type LookupSources } from './sources.js';
import { speedtest } from './speedtest/index.js';
import { ssl } from './ssl/index.js';
import { tcp } from './tcp/index.js';
import { traceroute } from './traceroute/index.js';

/** An engine for everything that is measured, or it does not compile. */
export type Engines = { readonly [T in MeasurementType]: ProbeEngine<T> };

/**
 * What measures each type on this node. Those without a `load` cost what a unit is (`npm run bench -- probes --only units`,
 * three runs on a busy machine, 2026-11): tcp 0.8 to 1.3 and dns 0.8 to 2.6 of what http takes while it lasts, traceroute
 * 0.6 to 3.3 for the 0.2 s in which it sends, and little while it waits for silent hops; mtr 0.1 to 0.3 with a cycle a
 * second over five hops, where paths of the internet have four times as many.
 */
const probeEngines = { http, ping, dns, tcp, traceroute, mtr, smtp, ntp, ssl, speedtest };

/** Those that ask third parties about a target ask `sources`. */
export function makeEngines({ blocklists, registries, icpUrl }: LookupSources, chromium: ChromiumWish): Engines {
  return {
    ...probeEngines,
    rbl: new RblEngine(blocklists),
    domain: new DomainEngine(registries),
    browser: new BrowserEngine(chromium),
    icp: new IcpEngine(icpUrl === null ? noIcpProvider : new JsonIcpProvider(icpUrl)),
  };
}

/** With the sources that everybody may ask. */
export const engines: Engines = makeEngines(defaultSources, defaultChromiumWish);
