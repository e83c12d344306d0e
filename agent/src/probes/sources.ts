import type { Endpoint } from '../net/endpoint.js';

/** Blocklists in DNS. RFC 5782. */
export interface BlocklistSources {
  /** Zones that are asked where a monitor names none; at least one. */
  readonly zones: readonly string[];
  /** Resolvers that are asked, the first of them first; none: the node's own. Like those, no policy judges them. */
  readonly servers: readonly Endpoint[];
}

/** WHOIS servers, each a host with or without a port. */
export interface WhoisServers {
  /** Servers by domain under which names are registered: `de`, `co.uk`. */
  readonly byZone: ReadonlyMap<string, string>;
  /** Server that names the WHOIS server of a top-level domain that is not listed. */
  readonly root: string;
}

/** URLs of the lists of RDAP servers: for domains, and for addresses of each version. RFC 9224. */
export interface RdapBootstrapUrls {
  readonly dns: string;
  readonly ipv4: string;
  readonly ipv6: string;
}

/**
 * Registries of domains and addresses. Every server among them, and every one they refer to, is judged by the target
 * policy.
 */
export interface RegistrySources {
  readonly rdapBootstrap: RdapBootstrapUrls;
  readonly whois: WhoisServers;
}

/** Third parties that engines ask about a target. The operator of the node says who they are: agent/src/sources-config.ts. */
export interface LookupSources {
  readonly blocklists: BlocklistSources;
  readonly registries: RegistrySources;
  /** URL of a document about ICP filings with `{domain}` in it; null if there is no source. Judged by the target policy. */
  readonly icpUrl: string | null;
}

/** Public sources that anyone may query. */
export const defaultSources: LookupSources = {
  blocklists: {
    zones: ['zen.spamhaus.org', 'bl.spamcop.net', 'psbl.surriel.com', 'dnsbl.dronebl.org'],
    servers: [],
  },
  registries: {
    rdapBootstrap: {
      dns: 'https://data.iana.org/rdap/dns.json',
      ipv4: 'https://data.iana.org/rdap/ipv4.json',
      ipv6: 'https://data.iana.org/rdap/ipv6.json',
    },
    whois: { byZone: new Map(), root: 'whois.iana.org' },
  },
  icpUrl: null,
};
