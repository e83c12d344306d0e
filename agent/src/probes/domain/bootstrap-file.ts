import { parseAddress } from '@vantage/shared/target-policy/address.js';
import { type Cidr, isInside } from '@vantage/shared/target-policy/address-ranges.js';
import { parseRange } from './address-blocks.js';
import { isObject } from './rdap-card.js';

/** Base URLs by the entries they serve, as a bootstrap file lists them: labels, or blocks of addresses. */
export type RdapServices = ReadonlyMap<string, readonly string[]>;

/** Entries of a bootstrap file that count; there are some 1500 top-level domains. */
const MAX_ENTRIES = 10_000;

/** Reads a bootstrap file: `{services: [[[entry, …], [url, …]], …]}` (RFC 9224 section 3); null for anything else. */
export function parseBootstrap(value: unknown): RdapServices | null {
  if (!isObject(value) || !Array.isArray(value['services'])) return null;
  const services = new Map<string, readonly string[]>();
  for (const service of value['services'].slice(0, MAX_ENTRIES)) {
    const [entries, urls] = Array.isArray(service) ? service : [];
    if (!isTexts(entries) || !isTexts(urls)) continue;
    for (const entry of entries) if (services.size < MAX_ENTRIES) services.set(entry.toLowerCase(), urls);
  }
  return services.size === 0 ? null : services;
}

/** The URL about a domain: that of the longest entry it ends in; null where there is none. */
export function domainUrl(services: RdapServices, domain: string): string | null {
  const labels = domain.split('.');
  for (let from = 0; from < labels.length; from += 1) {
    const base = preferredUrl(services.get(labels.slice(from).join('.')));
    if (base !== null) return `${base}domain/${encodeURIComponent(domain)}`;
  }
  return null;
}

/** The URL about an address: that of the smallest block that contains it; null where there is none. */
export function addressUrl(services: RdapServices, address: string): string | null {
  const parsed = parseAddress(address);
  if (parsed === null) return null;
  let smallest: { readonly range: Cidr; readonly base: string } | null = null;
  for (const [entry, urls] of services) {
    const range = parseRange(entry);
    const base = preferredUrl(urls);
    if (range === null || base === null || !isInside(range, parsed)) continue;
    if (smallest === null || sizeOf(range) < sizeOf(smallest.range)) smallest = { range, base };
  }
  return smallest === null ? null : `${smallest.base}ip/${address}`;
}

/** https before http, with a final slash. */
function preferredUrl(urls: readonly string[] | undefined): string | null {
  const url = urls?.find((one) => one.startsWith('https:')) ?? urls?.[0];
  return url === undefined ? null : url.replace(/\/?$/, '/');
}

function sizeOf({ first, last }: Cidr): bigint {
  return last - first;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
