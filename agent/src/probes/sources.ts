import type { Endpoint } from '../net/endpoint.js';

/** Blocklists in DNS. RFC 5782. */
export interface BlocklistSources {
  /** Zones that are asked where a monitor names none; at least one. */
  readonly zones: readonly string[];
  /** Resolvers that are asked, the first of them first; none: the node's own. Like those, no policy judges them. */
  readonly servers: readonly Endpoint[];
}

/** Third parties that engines ask about a target. The operator of the node says who they are: agent/src/sources-config.ts. */
export interface LookupSources {
  readonly blocklists: BlocklistSources;
}

/** What everybody may ask. */
export const defaultSources: LookupSources = {
  blocklists: {
    zones: ['zen.spamhaus.org', 'bl.spamcop.net', 'psbl.surriel.com', 'dnsbl.dronebl.org'],
    servers: [],
  },
};
