import type { Host } from './host.js';
import type { TargetPolicy } from './policy.js';
import { refused } from './target-error.js';

/** The Fetch standard's "bad ports", which browsers never connect to. */
const browserBlockedPorts = [
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/** Mail submission (RFC 6409), also on its unregistered port. */
const mailPorts = [25, 465, 587, 2525];

/**
 * Ports of databases and caches, some of which take a request line for a command. None is in the range from which
 * systems take ephemeral ports (32768 and above).
 */
const databasePorts = [
  1433, 1434, 1521, 2379, 2380, 2483, 2484, 3050, 3306, 5432, 5984, 6379, 6380, 6432, 6984, 7474, 7687, 8086, 8529,
  9042, 9200, 9300, 11211, 26379, 27017, 27018, 27019, 28015,
];

const httpBlockedPorts: ReadonlySet<number> = new Set([...browserBlockedPorts, ...mailPorts, ...databasePorts]);
/** Ports that speak TLS from the first byte and are closed to http: mail, LDAP and DNS over TLS. */
const tlsOnlyPorts: ReadonlySet<number> = new Set([465, 636, 853, 993, 995]);
const dnsPorts: ReadonlySet<number> = new Set([53, 443, 853]);
const ntpPort = 123;

/** First and last port of UDP traceroute (traceroute's 33434 plus the hops above it). */
const tracerouteUdpPorts = { first: 33434, last: 33690 };

/** Checks that an HTTP request may go to the port. @throws TargetError */
export function checkHttpPort(port: number, field: string): void {
  if (httpBlockedPorts.has(port)) throw refused(field, `port ${port} is blocked for http`);
}

/** Checks that TLS may be spoken to the port: the ports of http, and those that begin with TLS. @throws TargetError */
export function checkSslPort(port: number, field: string): void {
  if (httpBlockedPorts.has(port) && !tlsOnlyPorts.has(port)) throw refused(field, `port ${port} is blocked for ssl`);
}

/**
 * Checks that DNS may be queried on the port: 53, 443 and 853, unless the server is exempt. `server` is null for the node's
 * own resolver.
 * @throws TargetError
 */
export function checkDnsPort(port: number, server: Host | null, policy: TargetPolicy): void {
  if (dnsPorts.has(port) || isExempt(server, policy)) return;
  throw refused('params.port', `port ${port} is not one of 53, 443 and 853`);
}

/**
 * Checks that a mail server may be contacted on the port: 25, 465, 587 and 2525, unless the server is exempt. @throws
 * TargetError
 */
export function checkSmtpPort(port: number, server: Host, policy: TargetPolicy): void {
  if (mailPorts.includes(port) || isExempt(server, policy)) return;
  throw refused('params.port', `port ${port} is not one of ${mailPorts.join(', ')}`);
}

/** Checks that a time server may be queried on the port: 123, unless the server is exempt. @throws TargetError */
export function checkNtpPort(port: number, server: Host, policy: TargetPolicy): void {
  if (port === ntpPort || isExempt(server, policy)) return;
  throw refused('params.port', `port ${port} is not ${ntpPort}`);
}

/** A literal address inside the policy's allowed ranges (docs/decisions/0003-dns-port-in-allowed-ranges.md). */
function isExempt(server: Host | null, policy: TargetPolicy): boolean {
  return server?.kind === 'address' && policy.isExempt(server.address);
}

/** Checks that UDP traceroute may send to the port. @throws TargetError */
export function checkTracerouteUdpPort(port: number): void {
  const { first, last } = tracerouteUdpPorts;
  if (port >= first && port <= last) return;
  throw refused('params.port', `port ${port} is not one of ${first} to ${last}`);
}
