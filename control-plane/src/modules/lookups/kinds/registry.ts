import { dns } from './dns.js';
import { headers } from './headers.js';
import { icp } from './icp.js';
import { ip } from './ip.js';
import type { Lookup } from './lookup.js';
import { ssl } from './ssl.js';
import { whois } from './whois.js';

/** The one list of lookups. A new one is a file next to this one and a name here. */
export const lookups = { ip, whois, ssl, dns, icp, headers } as const satisfies Readonly<Record<string, Lookup>>;

export type LookupKind = keyof typeof lookups;

/** Definition of any lookup, for code that treats all kinds alike. */
export function lookupOf(kind: LookupKind): Lookup {
  return lookups[kind];
}
