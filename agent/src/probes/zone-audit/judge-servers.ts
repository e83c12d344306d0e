import type { SoaNumbers } from '@vantage/shared/probe-types/zone-audit.js';
import { parseAddress } from '@vantage/shared/target-policy/address.js';
import { isSameName, isWithin } from '../../net/dns/name.js';
import type { AuditedServer, ZoneFacts } from './facts.js';
import type { Judge } from './verdict.js';

const DAY = 86_400;
/** Bits of a network in which all servers fail together: the smallest prefixes that are routed on the Internet. */
const networkBits = { 4: 24, 6: 48 } as const;

/** Judges of name servers, their delegation and the SOA record. */
export const serverJudges = {
  single_ns: ({ parent, child }) => {
    if (parent === null && child === null) return 'unknown';
    const servers = distinct([...(parent ?? []).map(({ name }) => name), ...(child ?? [])]);
    return servers.length < 2 ? { name_servers: servers } : 'ok';
  },
  ns_one_network: ({ servers }) => {
    if (servers.length < 2) return 'ok';
    const addresses = distinct(servers.flatMap(({ address }) => address ?? []));
    if (addresses.length < 2) return 'unknown';
    return new Set(addresses.map(networkOf)).size === 1 ? { addresses } : 'ok';
  },
  ns_lame: ({ servers }) => {
    const lame = servers.filter(({ outcome }) => outcome === 'lame');
    if (lame.length === 0) return judgedServers(servers);
    return { servers: lame.map(({ name }) => name), reasons: lame.map(({ reason }) => reason ?? 'not_authoritative') };
  },
  ns_unreachable: ({ servers }) => {
    const gone = servers.filter(({ outcome }) => isGone(outcome));
    if (gone.length === 0) return judgedServers(servers);
    return { servers: gone.map(({ name }) => name), reasons: gone.map(({ outcome }) => outcome) };
  },
  parent_child_differ: ({ parent, child }) => {
    if (parent === null || child === null) return 'unknown';
    const names = parent.map(({ name }) => name);
    const isSame = names.length === child.length && names.every((name) => child.some((one) => isSameName(name, one)));
    return isSame ? 'ok' : { parent: names, child: [...child] };
  },
  glue_missing: ({ zone, parent }) => {
    if (parent === null) return 'unknown';
    const missing = parent.filter(({ name, addresses }) => isWithin(name, zone) && addresses.length === 0);
    return missing.length === 0 ? 'ok' : { servers: missing.map(({ name }) => name) };
  },
  serials_differ: ({ servers }) => {
    const known = servers.flatMap(({ name, soa }) => (soa === null ? [] : [{ name, serial: soa.serial }]));
    if (known.length === 0) return 'unknown';
    if (new Set(known.map(({ serial }) => serial)).size === 1) return 'ok';
    return { servers: known.map(({ name }) => name), serials: known.map(({ serial }) => serial) };
  },
  soa_timers: ({ servers }) => {
    const soa = servers.find((server) => server.soa !== null)?.soa ?? null;
    if (soa === null) return 'unknown';
    const rules = brokenRules(soa);
    const { refresh, retry, expire, minimum } = soa;
    return rules.length === 0 ? 'ok' : { rules, refresh, retry, expire, minimum };
  },
  cname_at_apex: ({ hasApexAlias, zone }) => {
    if (hasApexAlias === null) return 'unknown';
    return hasApexAlias ? { name: zone } : 'ok';
  },
} satisfies Record<string, Judge>;

/** Without a server that was queried nothing is known of them. */
function judgedServers(servers: readonly AuditedServer[]): 'ok' | 'unknown' {
  return servers.some(({ outcome }) => outcome !== 'untried') ? 'ok' : 'unknown';
}

function isGone(outcome: ZoneFacts['servers'][number]['outcome']): boolean {
  return outcome === 'timeout' || outcome === 'unreachable' || outcome === 'unresolved' || outcome === 'not_allowed';
}

/** Rules of RFC 1912 section 2.2 and RFC 2308 section 5 that the numbers break. */
function brokenRules({ refresh, retry, expire, minimum }: SoaNumbers): string[] {
  return [
    ...(refresh < 1200 ? ['refresh_below_20_minutes'] : []),
    ...(retry >= refresh ? ['retry_not_below_refresh'] : []),
    ...(expire < 7 * DAY ? ['expire_below_week'] : []),
    ...(expire <= refresh + retry ? ['expire_not_above_refresh_and_retry'] : []),
    ...(minimum > DAY ? ['minimum_above_day'] : []),
  ];
}

function networkOf(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === null) return address;
  const width = parsed.family === 4 ? 32 : 128;
  return `${parsed.family}:${parsed.value >> BigInt(width - networkBits[parsed.family])}`;
}

function distinct(values: readonly string[]): string[] {
  return [...new Map(values.map((value) => [value.toLowerCase(), value])).values()];
}
