import { MAX_ZONES } from '@vantage/shared/probe-types/rbl.js';
import { parseHost, parseHostPort } from '@vantage/shared/target-policy/host.js';
import { parseHttpUrl } from '@vantage/shared/target-policy/url.js';
import { findEndpoint } from './net/endpoint.js';
import {
  type BlocklistSources,
  defaultSources,
  type LookupSources,
  type RdapBootstrapUrls,
  type RegistrySources,
} from './probes/sources.js';
import { splitList } from './split-list.js';

type SourceVariable =
  | 'VANTAGE_DNSBL_ZONES'
  | 'VANTAGE_DNSBL_SERVERS'
  | RdapVariable
  | 'VANTAGE_WHOIS_SERVERS'
  | 'VANTAGE_ICP_SOURCE';
type RdapVariable = 'VANTAGE_RDAP_BOOTSTRAP' | 'VANTAGE_RDAP_BOOTSTRAP_IPV4' | 'VANTAGE_RDAP_BOOTSTRAP_IPV6';
type Read = (name: SourceVariable) => string | undefined;

const DNS_PORT = 53;
const MAX_SERVERS = 2;

/** Third parties that engines query about targets, from the environment; errors are added to `complaints`. */
export function parseSources(read: Read, complaints: string[]): LookupSources {
  const icpUrl = read('VANTAGE_ICP_SOURCE') ?? null;
  if (icpUrl !== null && !(icpUrl.includes('{domain}') && isHttpUrl(icpUrl.replaceAll('{domain}', 'example.com'))))
    complaints.push('VANTAGE_ICP_SOURCE: must be an http or https URL that contains {domain}');
  const blocklists = parseBlocklists(read, complaints);
  return { blocklists, registries: parseRegistries(read, complaints), icpUrl };
}

function parseBlocklists(read: Read, complaints: string[]): BlocklistSources {
  const zones = splitList(read('VANTAGE_DNSBL_ZONES') ?? '');
  for (const zone of zones.filter((name) => !isName(name)))
    complaints.push(`VANTAGE_DNSBL_ZONES: "${zone}" is not the name of a DNS zone`);
  if (zones.length > MAX_ZONES) complaints.push(`VANTAGE_DNSBL_ZONES: must be at most ${MAX_ZONES} zones`);
  const written = splitList(read('VANTAGE_DNSBL_SERVERS') ?? '');
  if (written.length > MAX_SERVERS) complaints.push(`VANTAGE_DNSBL_SERVERS: must be at most ${MAX_SERVERS} addresses`);
  const servers = written.flatMap((text) => {
    const server = findEndpoint(text, DNS_PORT);
    if (server === null) complaints.push(`VANTAGE_DNSBL_SERVERS: "${text}" is not an address`);
    return server ?? [];
  });
  return { zones: zones.length === 0 ? defaultSources.blocklists.zones : zones, servers };
}

function parseRegistries(read: Read, complaints: string[]): RegistrySources {
  const { registries: usual } = defaultSources;
  const rdapBootstrap = parseBootstrapUrls(read, complaints);
  const byZone = new Map<string, string>();
  let { root } = usual.whois;
  for (const entry of splitList(read('VANTAGE_WHOIS_SERVERS') ?? '')) {
    const [, zone = '', server = ''] = /^(\*|[a-z0-9.-]+)=(\S+)$/i.exec(entry) ?? [];
    if (zone === '' || !isHostPort(server))
      complaints.push(`VANTAGE_WHOIS_SERVERS: "${entry}" is not ZONE=HOST[:PORT]`);
    else if (zone === '*') root = server;
    else byZone.set(zone.toLowerCase(), server);
  }
  return { rdapBootstrap, whois: { byZone, root } };
}

/** The files for addresses stand next to that for domains, as at IANA, unless they have a URL of their own. */
function parseBootstrapUrls(read: Read, complaints: string[]): RdapBootstrapUrls {
  const urlOf = (variable: RdapVariable, fallback: string) => {
    const url = read(variable);
    if (url !== undefined && !isHttpUrl(url)) complaints.push(`${variable}: must be an http or https URL`);
    return url ?? fallback;
  };
  const dns = urlOf('VANTAGE_RDAP_BOOTSTRAP', defaultSources.registries.rdapBootstrap.dns);
  const siblingOf = (file: string) => (URL.canParse(file, dns) ? new URL(file, dns).href : dns);
  return {
    dns,
    ipv4: urlOf('VANTAGE_RDAP_BOOTSTRAP_IPV4', siblingOf('ipv4.json')),
    ipv6: urlOf('VANTAGE_RDAP_BOOTSTRAP_IPV6', siblingOf('ipv6.json')),
  };
}

function isHttpUrl(text: string): boolean {
  try {
    return parseHttpUrl(text).url.href !== '';
  } catch {
    return false;
  }
}

function isHostPort(text: string): boolean {
  try {
    return parseHostPort(text).host.kind !== undefined;
  } catch {
    return false;
  }
}

function isName(text: string): boolean {
  try {
    return parseHost(text).kind === 'name';
  } catch {
    return false;
  }
}
