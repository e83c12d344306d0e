import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

/** Servers of /etc/resolv.conf that count (resolv.conf(5), MAXNS). */
const MAX_SERVERS = 3;
/** Server that resolv.conf(5) prescribes when the file names none. */
const FALLBACK_SERVER = '127.0.0.1';

/** Addresses of the `nameserver` lines in order, zone ids kept; anything else is ignored, as by the C library. */
export function parseResolvConf(text: string): string[] {
  const addresses = [...text.matchAll(/^nameserver[ \t]+(\S+)/gm)].map((match) => match[1] ?? '');
  const servers = addresses.filter((address) => isIP(address) !== 0).slice(0, MAX_SERVERS);
  return servers.length === 0 ? [FALLBACK_SERVER] : servers;
}

/** A resolv.conf that is read again whenever it has changed; a file that cannot be read names no server. */
export class ResolvConf {
  private changedAtMs: number | null = null;
  private addresses: string[] = [FALLBACK_SERVER];

  constructor(private readonly path = '/etc/resolv.conf') {}

  /** Addresses of the machine's resolvers; at least one. */
  servers(): readonly string[] {
    const changedAtMs = statSync(this.path, { throwIfNoEntry: false })?.mtimeMs ?? null;
    if (changedAtMs !== this.changedAtMs) {
      this.changedAtMs = changedAtMs;
      this.addresses = changedAtMs === null ? [FALLBACK_SERVER] : parseResolvConf(readFileSync(this.path, 'utf8'));
    }
    return this.addresses;
  }
}
