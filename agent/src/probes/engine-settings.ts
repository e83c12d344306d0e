import type { Endpoint } from '../net/endpoint.js';
import type { ChromiumWish } from './browser/chromium.js';
import type { LookupSources } from './sources.js';

/**
 * The operator's settings of everything that measures. The configuration makes this one object; agent, measuring process and
 * child pass it on as it is, so that a new setting is written here, in the configuration and where it is used.
 */
export interface EngineSettings {
  /** CIDRs the operator opened to probes. */
  readonly allow: readonly string[];
  /** Resolvers that probes ask; none: those of the system. */
  readonly dnsServers: readonly Endpoint[];
  /** Addresses of a private root of DNS; none: the public root servers. */
  readonly rootHints: readonly string[];
  /** Third parties that engines ask about targets. */
  readonly sources: LookupSources;
  /** The Chromium that loads pages. */
  readonly chromium: ChromiumWish;
}
