import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import { MAX_CANARIES, parseCanary } from '@vantage/shared/self-test.js';
import { formatAddress } from '@vantage/shared/target-policy/address.js';
import { parseCidr } from '@vantage/shared/target-policy/address-ranges.js';
import type { BusAddress, NatsCredentials } from '../bus/bus-address.js';
import { type Plans, PlansError, parsePlans } from '../plans/index.js';
import { type LogLevel, logLevels } from '../runtime/log.js';

// Each function parses one kind of setting. The messages of its errors are shown after the name of the setting: "must
// be …". The text of a secret is never quoted.

/** Complaint about the value of a setting. */
export class ValueError extends Error {
  override readonly name = 'ValueError';
}

/** Where a server listens; host null = all addresses, port 0 = any free one. */
export interface ListenAddress {
  readonly host: string | null;
  readonly port: number;
}

/** `host:port`, `[v6]:port` or `:port`. */
export function parseListen(text: string): ListenAddress {
  const match = /^(?:\[(?<v6>[^\]]*)\]|(?<host>[^:]*)):(?<port>\d{1,5})$/.exec(text);
  const { v6, host = '', port = '' } = match?.groups ?? {};
  const isHost = v6 !== undefined ? isIPv6(v6) : host === '' || isIP(host) === 4 || /^[a-z][a-z0-9.-]*$/i.test(host);
  if (match === null || !isHost || Number(port) > 65_535) {
    throw new ValueError(`must be host:port, [IPv6]:port or :port, not "${text}"`);
  }
  return Object.freeze({ host: v6 ?? (host === '' ? null : host), port: Number(port) });
}

/** As `parseListen`, or null for `off`. */
export function parseListenOrOff(text: string): ListenAddress | null {
  return text === 'off' ? null : parseListen(text);
}

/** An http(s) origin in its canonical form: scheme, host and, unless it is the scheme's own, port. */
export function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isBare = url !== null && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  if (!isBare || !/^https?:$/.test(url.protocol)) {
    throw new ValueError(
      `must be an http or https address without path or credentials, not "${withoutCredentials(text)}"`,
    );
  }
  return url.origin;
}

/** Origins as of `parseOrigin`, divided by commas, each once. */
export function parseOrigins(text: string): readonly string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  return Object.freeze([...new Set(entries.filter((entry) => entry !== '').map(parseOrigin))]);
}

/** A whole number between two others. */
export function parseNumber(text: string, least: number, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw new ValueError(`must be a whole number from ${least} to ${most}, not "${text}"`);
  return value;
}

/** An e-mail address, or an http(s) address in its canonical form. */
export function parseContact(text: string): string {
  if (isMailAddress(text)) return text;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new ValueError(
      `must be an e-mail address or an http or https address without credentials, not "${withoutCredentials(text)}"`,
    );
  }
  return url.href;
}

function withoutCredentials(text: string): string {
  return text.replace(/\/\/[^/]*@/, '//…@');
}

/** A secret. */
export function parseDatabaseUrl(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text)) throw new ValueError('must begin with postgres:// or postgresql://');
  // the form without a host, for Unix sockets, is PostgreSQL's own: postgres://user@/database?host=/run/postgresql
  const url = text.replace(/^([^?]*@)\//, '$1localhost/');
  if (!URL.canParse(url))
    throw new ValueError('is not a valid URL; characters like @ and # in a password must be written %40 and %23');
  return text;
}

/** How the connection to a mail server is encrypted: from the start, by STARTTLS or not at all, or STARTTLS if it can. */
export type SmtpEncryption = 'tls' | 'starttls' | 'starttls-if-offered' | 'none';

/** The server that takes our mails. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly encryption: SmtpEncryption;
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

/** A secret. Without a port: 587, or 465 for smtps. */
export function parseSmtpUrl(text: string): SmtpServer {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    throw new ValueError(
      'must be smtp://user:password@host:port or smtps://…; characters like @ and # in a password must be written %40 and %23',
    );
  }
  if (!/^\/?$/.test(url.pathname) || url.hash !== '')
    throw new ValueError('must end after the port, except for ?tls=…');
  const isSecure = url.protocol === 'smtps:';
  const credentials = smtpCredentials(url);
  return Object.freeze({
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
    encryption: isSecure
      ? 'tls'
      : startTls(url.searchParams, { isLocal: isThisMachine(url.hostname), hasPassword: credentials !== null }),
    credentials,
  });
}

function smtpCredentials({ username, password }: URL): SmtpServer['credentials'] {
  if ((username === '') !== (password === '')) throw new ValueError('must have both user and password, or neither');
  if (username === '') return null;
  return { user: decodedCredential(username), password: decodedCredential(password) };
}

/**
 * Policy for STARTTLS: required unless the server is this machine. Mails carry links that open accounts, and an
 * attacker on the way to another machine can suppress the offer of STARTTLS (RFC 3207 section 6).
 */
function startTls(parameters: URLSearchParams, server: { isLocal: boolean; hasPassword: boolean }): SmtpEncryption {
  const unknown = [...parameters.keys()].filter((name) => name !== 'tls');
  if (unknown.length > 0)
    throw new ValueError(`has the unknown parameter "${unknown.join('", "')}"; the only parameter is tls`);
  const tls = parameters.get('tls');
  if (tls === 'required') return 'starttls';
  if (tls === 'off') return 'none';
  if (tls === null) return server.isLocal && !server.hasPassword ? 'starttls-if-offered' : 'starttls';
  if (tls !== 'optional') throw new ValueError('must have tls=required, tls=optional or tls=off, or no tls at all');
  if (server.hasPassword)
    throw new ValueError('must not have tls=optional with a password, which could be sent unencrypted');
  return 'starttls-if-offered';
}

/** True if a URL's host is this machine itself, by name or address. */
export function isThisMachine(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(hostname);
}

/** Sender or recipient of mail. */
export interface Mailbox {
  /** As people read it; null if there is only the address. */
  readonly name: string | null;
  readonly address: string;
}

/** `address`, `Name <address>` or `"Name" <address>`. */
export function parseMailbox(text: string): Mailbox {
  const match = /^(?:"?(?<name>[^"<>\p{C}]*?)"?\s*<(?<inside>[^<>]*)>|(?<bare>[^<>]*))$/u.exec(text);
  const { name = '', inside, bare } = match?.groups ?? {};
  const address = inside ?? bare ?? '';
  if (!isMailAddress(address)) throw new ValueError(`must be an e-mail address or Name <address>, not "${text}"`);
  return Object.freeze({ name: name === '' ? null : name, address });
}

/**
 * True if a text is one plain e-mail address: nothing quoted, no list, a domain name (with any of the dots of UTS 46),
 * at most 254 characters.
 */
export function isMailAddress(text: string): boolean {
  const match = /^[^\s@\p{C}<>,;:"()[\]\\]+@(?<domain>[^@]+)$/u.exec(text);
  const isName = /^(?:[\p{L}\p{M}\p{N}_-]+[.。．｡])*[\p{L}\p{M}\p{N}_-]+[.。．｡]?$/u.test(
    match?.groups?.['domain'] ?? '',
  );
  return text.length <= 254 && isName;
}

/** A secret: 32 bytes as 64 hexadecimal digits, base64 or base64url. */
export function parseSecretKey(text: string): Buffer {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64');
  throw new ValueError('must be 32 bytes in base64 or hexadecimal (openssl rand -base64 32)');
}

/** A secret: how replicas reach each other. */
export function parseBusUrl(text: string): BusAddress {
  if (text === 'postgres') return Object.freeze({ kind: 'postgres' });
  const urls = text.split(',').map((entry) => parseNatsUrl(entry.trim()));
  const schemes = new Set(urls.map(({ protocol }) => protocol));
  if (schemes.size > 1) throw new ValueError('must use nats:// for all servers, or tls:// for all of them');
  return Object.freeze({
    kind: 'nats',
    servers: Object.freeze([...new Set(urls.map(({ hostname, port }) => `${hostname}:${port || DEFAULT_NATS_PORT}`))]),
    isTls: schemes.has('tls:'),
    credentials: natsCredentials(urls),
  });
}

const DEFAULT_NATS_PORT = 4222;

function parseNatsUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^(nats|tls):$/.test(url.protocol) || url.hostname === '') {
    throw new ValueError(
      'must be postgres, or nats://user:password@host:port, nats://token@host:port or tls://…, several separated by commas; characters like @ and # in a password must be written %40 and %23',
    );
  }
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '')
    throw new ValueError('must end after the port');
  return url;
}

/** Those of whichever servers name any; all servers of a cluster know the same users. */
function natsCredentials(urls: readonly URL[]): NatsCredentials | null {
  const [first, ...others] = urls.filter(({ username, password }) => username !== '' || password !== '');
  if (first === undefined) return null;
  if (others.some(({ username, password }) => username !== first.username || password !== first.password))
    throw new ValueError('must have the same credentials for all servers');
  const user = decodedCredential(first.username);
  const password = decodedCredential(first.password);
  if (user === '') throw new ValueError('has a password without a user');
  return password === '' ? { kind: 'token', token: user } : { kind: 'password', user, password };
}

function decodedCredential(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ValueError('has a % in the user or password that is not written as %25');
  }
}

/** Comma-separated prefixes in canonical form; an address alone is its longest prefix. */
export function parseCidrs(text: string): readonly string[] {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const bad = entries.filter((entry) => parseCidr(entry) === null);
  if (bad.length > 0) {
    throw new ValueError(
      `has entries that are not a CIDR, or have bits set after the prefix: ${bad.map((entry) => `"${entry}"`).join(', ')}`,
    );
  }
  return Object.freeze([...new Set(entries.map(canonicalCidr))]);
}

/** CIDRs of proxies; never all addresses, since any caller could then choose its own by X-Forwarded-For. */
export function parseProxies(text: string): readonly string[] {
  const cidrs = parseCidrs(text);
  const everybody = cidrs.find((cidr) => cidr.endsWith('/0'));
  if (everybody === undefined) return cidrs;
  throw new ValueError(`has "${everybody}", which lets every caller choose its own address: list only the proxies`);
}

/** Targets like `tcp://host:443` and `icmp://host`, divided by commas. */
export function parseCanaries(text: string): readonly string[] {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const bad = entries.filter((entry) => parseCanary(entry) === null);
  if (bad.length > 0)
    throw new ValueError(
      `has entries that are not tcp://host:port or icmp://host: ${bad.map((entry) => `"${entry}"`).join(', ')}`,
    );
  if (entries.length > MAX_CANARIES) throw new ValueError(`has more than ${MAX_CANARIES} canaries`);
  return Object.freeze([...new Set(entries)]);
}

function canonicalCidr(entry: string): string {
  const cidr = parseCidr(entry);
  if (cidr === null) throw new ValueError(`"${entry}" is not a CIDR`);
  const hostBits = (cidr.last - cidr.first).toString(2).replace(/^0$/, '').length;
  const bits = (cidr.family === 4 ? 32 : 128) - hostBits;
  return `${formatAddress({ family: cidr.family, value: cidr.first })}/${bits}`;
}

/** JSON, or the path of a file with it. */
export function parsePlansText(text: string): Plans {
  const json = text.trimStart().startsWith('{') ? text : readText(text);
  try {
    return parsePlans(JSON.parse(json));
  } catch (error) {
    if (error instanceof SyntaxError) throw new ValueError(`is not valid JSON: ${error.message}`);
    if (error instanceof PlansError) throw new ValueError(`is not a valid set of plans: ${error.message}`);
    throw error;
  }
}

/** The path of a file that this process may read. */
export function parseReadableFile(path: string): string {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw unreadable(path, error);
  }
  if (!statSync(path).isFile()) throw new ValueError(`"${path}" is not a file`);
  return path;
}

/** The path of an existing directory. */
export function parseDirectory(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new ValueError(`"${path}" is not a directory`);
  return path;
}

/** @throws ValueError when the file can't be read */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadable(path, error);
  }
}

export function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((known) => known === text);
  if (level === undefined) throw new ValueError(`must be one of ${logLevels.join(', ')}, not "${text}"`);
  return level;
}

function unreadable(path: string, error: unknown): ValueError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return new ValueError(`"${path}" can't be read (${code})`);
}

/** The origin of a server that listens there, as its own machine would name it; VANTAGE_PUBLIC_URL when unset. */
export function listenOrigin({ host, port }: ListenAddress, scheme: 'http' | 'https'): string {
  const name = host === null || host === '0.0.0.0' || host === '::' ? 'localhost' : isIPv6(host) ? `[${host}]` : host;
  return new URL(`${scheme}://${name}:${port}`).origin;
}

/** Whole seconds from 0 to `most`. */
export function parseSeconds(text: string, most: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) > most)
    throw new ValueError(`must be a whole number of seconds from 0 to ${most}, not "${text}"`);
  return Number(text);
}

/** One of two words: true for the first. @throws ValueError */
export function parseChoice(text: string, yes: string, no: string): boolean {
  if (text === yes || text === no) return text === yes;
  throw new ValueError(`must be ${yes} or ${no}`);
}

/** Numbers of requests a minute by host: `HOST=PER_MINUTE`, separated by commas, each host once. @throws ValueError */
export function parseRates(text: string): ReadonlyMap<string, number> {
  const rates = new Map<string, number>();
  for (const entry of text.split(',').map((written) => written.trim())) {
    const [, host = '', rate = ''] = /^([\w.:[\]-]+)=(\d+)$/.exec(entry) ?? [];
    if (host === '') throw new ValueError(`has "${entry}", which is not HOST=PER_MINUTE`);
    if (rates.has(host.toLowerCase())) throw new ValueError(`has "${host}" twice`);
    rates.set(host.toLowerCase(), parseNumber(rate, 1, 100_000));
  }
  return rates;
}

/** A URL of http or https without query, user or fragment, as text without a final slash. */
export function parseReleaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search + url.hash === '';
  if (!isPlain) throw new ValueError(`"${text}" is not an http(s) URL without a query`);
  return url.href.replace(/\/$/, '');
}

/** A public key of minisign: 42 bytes of base64. */
export function parseReleaseKey(text: string): string {
  if (!/^RW[\w+/]{54}$/.test(text))
    throw new ValueError(`"${text}" is not a public key of minisign: RW and 54 characters`);
  return text;
}
