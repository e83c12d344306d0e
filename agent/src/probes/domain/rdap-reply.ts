import type { JsonAnswer } from '../http/fetch-json.js';
import type { Registration } from './registration.js';

/** Base URLs by the labels they serve, as a bootstrap file lists them. */
export type RdapServices = ReadonlyMap<string, readonly string[]>;

/** Entries of a bootstrap file that count; there are some 1500 top-level domains. */
const MAX_ENTRIES = 10_000;

/** Reads a bootstrap file: `{services: [[[label, …], [url, …]], …]}` (RFC 9224 section 3); null for anything else. */
export function parseBootstrap(value: unknown): RdapServices | null {
  if (!isObject(value) || !Array.isArray(value['services'])) return null;
  const services = new Map<string, readonly string[]>();
  for (const service of value['services'].slice(0, MAX_ENTRIES)) {
    const [labels, urls] = Array.isArray(service) ? service : [];
    if (!isTexts(labels) || !isTexts(urls)) continue;
    for (const label of labels) if (services.size < MAX_ENTRIES) services.set(label.toLowerCase(), urls);
  }
  return services.size === 0 ? null : services;
}

/** The URL that answers for a domain: that of the longest entry it ends in, https before http; null where there is none. */
export function rdapUrl(services: RdapServices, domain: string): string | null {
  const labels = domain.split('.');
  for (let from = 0; from < labels.length; from += 1) {
    const urls = services.get(labels.slice(from).join('.'));
    const base = urls?.find((url) => url.startsWith('https:')) ?? urls?.[0];
    if (base !== undefined) return `${base.replace(/\/?$/, '/')}domain/${encodeURIComponent(domain)}`;
  }
  return null;
}

/**
 * Reads the answer to a question for a domain (RFC 9083 sections 4.5 and 5.3); null where it says nothing of it. 404
 * counts where it is one of RDAP (RFC 7480 section 5.3), and not some page.
 */
export function readRdap({ statusCode, contentType, value }: JsonAnswer, domain: string): Registration | null {
  if (statusCode === 404) return /json/i.test(contentType) && isObject(value) ? { isRegistered: false } : null;
  if (statusCode !== 200 || !isObject(value) || value['objectClassName'] !== 'domain') return null;
  const name = value['ldhName'];
  if (typeof name !== 'string' || name.toLowerCase().replace(/\.$/, '') !== domain) return null;
  return { isRegistered: true, expiresAt: expirationIn(value['events']) };
}

function expirationIn(events: unknown): string | null {
  if (!Array.isArray(events)) return null;
  const event = events.find((one) => isObject(one) && one['eventAction'] === 'expiration');
  const date = isObject(event) ? event['eventDate'] : null;
  const atMs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return isCalendarDate(atMs) ? new Date(atMs).toISOString() : null;
}

/** Years of four digits: what a schema takes for a date. */
export function isCalendarDate(atMs: number): boolean {
  return atMs >= Date.UTC(1980, 0) && atMs < Date.UTC(10_000, 0);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
