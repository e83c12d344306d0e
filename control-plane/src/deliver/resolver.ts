import { Resolver } from 'node:dns/promises';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Clock } from '@vantage/shared/clock.js';
import type { Address, Resolve } from './pinned.js';

// One lookup:
//
//   name ──> in the hosts file? its addresses
//            else A and AAAA, both at once, of the servers in resolv.conf ──> all addresses that came, IPv6 first
//
// With sockets of its own (c-ares). getaddrinfo takes a thread of a pool of four for as long as a server is silent: names of one
// account whose servers do not reply kept the names of all others waiting. A name is complete as it is written: search domains and
// other sources of nsswitch.conf are not used.

/** Longest time for one lookup. */
const LOOKUP_MS = 5_000;
/** First time without a reply after which a server is asked again, or the next one. It doubles. */
const SILENCE_MS = 1_000;
const TRIES = 3;

interface ResolverOptions {
  readonly clock: Clock;
  /** Addresses of servers, with `:port`; default: those of resolv.conf. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
}

/**
 * Returns the resolver of this machine: its hosts file and its DNS servers. What of A and AAAA has come after 5 s counts.
 * It throws an error with a `code`: ENOTFOUND, ENODATA, ESERVFAIL and so on; ETIMEOUT after 5 s without a reply.
 */
export function systemResolver({ clock, servers, hostsFile = '/etc/hosts' }: ResolverOptions): Resolve {
  const hosts = new HostsFile(hostsFile);
  return async (name, signal) => {
    const listed = /^(?:.+\.)?localhost$/.test(name) ? LOCALHOST : await hosts.find(name);
    signal.throwIfAborted();
    if (listed.length > 0) return listed;
    const resolver = new Resolver({ timeout: SILENCE_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    const stopClock = clock.after(LOOKUP_MS, cancel);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const found = await bothFamilies(resolver, name);
      signal.throwIfAborted();
      return found;
    } finally {
      stopClock();
      signal.removeEventListener('abort', cancel);
    }
  };
}

/** RFC 6761 section 6.3: whatever servers say of it. */
const LOCALHOST: readonly Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

async function bothFamilies(resolver: Resolver, name: string): Promise<readonly Address[]> {
  const [six, four] = await Promise.allSettled([resolver.resolve6(name), resolver.resolve4(name)]);
  const found = [
    ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 as const })),
    ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 as const })),
  ];
  if (found.length > 0 || four.status === 'fulfilled') return found;
  const { code } = Object(four.reason) as { code?: unknown };
  throw Object.assign(new Error('the name does not resolve'), { code: code === 'ECANCELLED' ? 'ETIMEOUT' : code });
}

/** hosts(5), read again when it has changed: once for all who ask meanwhile. */
class HostsFile {
  #version: string | null = null;
  #addresses: Promise<ReadonlyMap<string, readonly Address[]>> = Promise.resolve(new Map());

  constructor(private readonly file: string) {}

  /** Addresses of a name in lower case; none if there is no such line or no file. */
  async find(name: string): Promise<readonly Address[]> {
    const version = await stat(this.file).then(
      ({ mtimeMs, size, ino }) => `${ino} ${size} ${mtimeMs}`,
      () => '',
    );
    if (version !== this.#version) {
      this.#version = version;
      this.#addresses = version === '' ? Promise.resolve(new Map()) : this.#read();
    }
    return (await this.#addresses).get(name) ?? [];
  }

  async #read(): Promise<ReadonlyMap<string, readonly Address[]>> {
    const text = await readFile(this.file, 'utf8').catch(() => null);
    // there may have been no descriptor: the next lookup reads it again
    if (text === null) this.#version = null;
    return parseHosts(text ?? '');
  }
}

/** Addresses by name, from hosts(5). */
function parseHosts(text: string): ReadonlyMap<string, readonly Address[]> {
  const addresses = new Map<string, Address[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family !== 4 && family !== 6) continue;
    for (const name of new Set(names.map((one) => one.toLowerCase()))) {
      const own = addresses.get(name);
      if (own === undefined) addresses.set(name, [{ address, family }]);
      else own.push({ address, family });
    }
  }
  return addresses;
}
