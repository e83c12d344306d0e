import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { type ServiceAddress, takeServiceAddress as takeAddress } from '@vantage/shared/service/service-notices.js';
import { parseCidr } from '@vantage/shared/target-policy/address-ranges.js';
import { isTlsPin } from './identity/tls-pins.js';
import { type Endpoint, findEndpoint } from './net/endpoint.js';
import type { EngineSettings } from './probes/engine-settings.js';
import { parseSources } from './sources-config.js';
import { splitList } from './split-list.js';

/** Every environment variable the agent reads, and what it is for. An empty one counts as unset. */
export const environmentVariables = {
  VANTAGE_STATE_DIR:
    'directory of the node’s identity and of results not yet delivered (default: /var/lib/vantage-agent as root, else ~/.local/state/vantage-agent)',
  VANTAGE_AGENT_BIND: 'source address of the link to the control plane (default: chosen by the system)',
  VANTAGE_AGENT_PROXY:
    'HTTP proxy that tunnels the link, http://[user:password@]host:port (default: none; HTTPS_PROXY and similar variables are not used)',
  VANTAGE_AGENT_TLS_PINS:
    'comma-separated pins of the control plane’s TLS key, base64 of the SHA-256 of its SubjectPublicKeyInfo: one of them must match, in addition to the usual verification (default: those of enroll --tls-pin, if any)',
  VANTAGE_ALLOW_TARGETS:
    'comma-separated CIDRs of private or reserved addresses that probes may reach nevertheless (default: none)',
  VANTAGE_DNS_SERVERS:
    'comma-separated addresses of the resolvers for probes, at most 3, each with a port or on 53; use a public resolver on a public node (default: those of /etc/resolv.conf)',
  VANTAGE_DNS_ROOT_HINTS:
    'comma-separated addresses of the root servers at which DNS traces start, for a private root (default: the public root servers)',
  VANTAGE_DNSBL_ZONES:
    'comma-separated DNS blocklists for monitors of type rbl that do not name their own (default: zen.spamhaus.org, bl.spamcop.net, psbl.surriel.com, dnsbl.dronebl.org)',
  VANTAGE_DNSBL_SERVERS:
    'comma-separated addresses, with or without a port, of the resolvers for queries to blocklists, at most two (default: the resolvers of the system; blocklists refuse public resolvers)',
  VANTAGE_RDAP_BOOTSTRAP:
    'URL of the list of RDAP servers by domain, RFC 9224, for registrations of domains (default: https://data.iana.org/rdap/dns.json)',
  VANTAGE_RDAP_BOOTSTRAP_IPV4:
    'URL of the list of RDAP servers by IPv4 address (default: ipv4.json next to VANTAGE_RDAP_BOOTSTRAP)',
  VANTAGE_RDAP_BOOTSTRAP_IPV6:
    'URL of the list of RDAP servers by IPv6 address (default: ipv6.json next to VANTAGE_RDAP_BOOTSTRAP)',
  VANTAGE_WHOIS_SERVERS:
    'comma-separated WHOIS servers, ZONE=HOST or ZONE=HOST:PORT, used where RDAP has no data; * is the server that refers to the others (default: *=whois.iana.org)',
  VANTAGE_ICP_SOURCE:
    'URL containing {domain} that returns {"icp_number", "company", "type", "license_type", "filed_at", "inquiry_url"} in JSON, for ICP filings (default: none, monitors of type icp then report that no source is configured); its host is shown in results',
  VANTAGE_CHROMIUM:
    'absolute path of Chromium for monitors of type browser, or none to disable them (default: /usr/bin/chromium and other usual paths)',
  VANTAGE_CHROMIUM_SANDBOX:
    '0: Chromium may run without its sandbox, for containers that do not permit user namespaces and are sufficiently isolated (default: 1)',
  VANTAGE_AGENT_UPGRADE_COMMAND:
    'absolute path of a command that installs another version of the agent, given as its only argument, and restarts the agent (default: none, upgrades are refused)',
  VANTAGE_LOG_LEVEL: 'trace, debug, info, warn, error or silent (default: info)',
  VANTAGE_EXIT_WITH_PARENT: '1: stop when standard input ends, because the process that started the agent has ended',
} as const;

export type EnvironmentVariable = keyof typeof environmentVariables;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface AgentConfig {
  readonly stateDir: string;
  /** Source address of the link; null if the system chooses. */
  readonly bindAddress: string | null;
  /** HTTP proxy of the link, perhaps with credentials; null for a direct connection. */
  readonly proxyUrl: string | null;
  /** Pins of the control plane's TLS key, instead of those given at enrollment; none: those. */
  readonly tlsPins: readonly string[];
  /** Proxies of the environment that nothing uses, by the names of their variables. */
  readonly ignoredProxies: readonly string[];
  readonly engines: EngineSettings;
  /** Absolute path; null if the control plane can upgrade nothing here. */
  readonly upgradeCommand: string | null;
  readonly logLevel: LogLevel;
  readonly exitWithParent: boolean;
  /** Variables with our prefix that nothing reads: probably typing mistakes. */
  readonly unknownVariables: readonly string[];
}

/** Error with everything that is wrong with the environment. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly complaints: readonly string[]) {
    super(complaints.join('; '));
  }
}

/** The environment of this process. */
export function readEnv(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** Address of the service manager that started this process, taken out of the environment; null if none waits. */
export function takeServiceAddress(): ServiceAddress | null {
  return takeAddress(process.env, process.pid);
}

/** The environment for processes that measure: without settings, some of which contain a password; the processes receive what they need in messages. */
export function measuringEnv(): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VANTAGE_')));
}

/** File of roots that Node trusts in addition to its own, which it reads when it starts; null if there is none. */
export function extraRootsFile(): string | null {
  return process.env['NODE_EXTRA_CA_CERTS'] || null;
}

/** Folders in which a shell finds programs, and the home of the user. */
export function programPlaces(): { readonly path: readonly string[]; readonly home: string } {
  return { path: (process.env['PATH'] ?? '').split(':').filter((folder) => folder !== ''), home: homedir() };
}

/** The configuration in an environment. @throws ConfigError */
export function parseConfig(env: Readonly<Record<string, string | undefined>>): AgentConfig {
  const value = (name: EnvironmentVariable) => (env[name] === '' ? undefined : env[name]);
  const complaints: string[] = [];
  const bindAddress = value('VANTAGE_AGENT_BIND') ?? null;
  if (bindAddress !== null && isIP(bindAddress) === 0)
    complaints.push(`VANTAGE_AGENT_BIND: "${bindAddress}" is not an address`);
  const proxyUrl = value('VANTAGE_AGENT_PROXY') ?? null;
  if (proxyUrl !== null && !isProxyUrl(proxyUrl))
    complaints.push('VANTAGE_AGENT_PROXY: must be http://[user:password@]host:port');
  const tlsPins = splitList(value('VANTAGE_AGENT_TLS_PINS') ?? '');
  for (const entry of tlsPins.filter((pin) => !isTlsPin(pin)))
    complaints.push(`VANTAGE_AGENT_TLS_PINS: "${entry}" is not the base64 of a SHA-256`);
  const allow = splitList(value('VANTAGE_ALLOW_TARGETS') ?? '');
  for (const entry of allow.filter((cidr) => parseCidr(cidr) === null))
    complaints.push(`VANTAGE_ALLOW_TARGETS: "${entry}" is not a CIDR`);
  const dnsServers = parseDnsServers(value('VANTAGE_DNS_SERVERS') ?? '', complaints);
  const rootHints = splitList(value('VANTAGE_DNS_ROOT_HINTS') ?? '');
  for (const entry of rootHints.filter((address) => isIP(address) === 0))
    complaints.push(`VANTAGE_DNS_ROOT_HINTS: "${entry}" is not an address`);
  const sources = parseSources(value, complaints);
  const chromiumPath = value('VANTAGE_CHROMIUM') ?? null;
  if (chromiumPath !== null && chromiumPath !== 'none' && !isAbsolute(chromiumPath))
    complaints.push(`VANTAGE_CHROMIUM: "${chromiumPath}" must be an absolute path or none`);
  const upgradeCommand = value('VANTAGE_AGENT_UPGRADE_COMMAND') ?? null;
  if (upgradeCommand !== null && !isAbsolute(upgradeCommand))
    complaints.push(`VANTAGE_AGENT_UPGRADE_COMMAND: "${upgradeCommand}" must be an absolute path without arguments`);
  const logLevel = logLevels.find((level) => level === (value('VANTAGE_LOG_LEVEL') ?? 'info'));
  if (logLevel === undefined) complaints.push(`VANTAGE_LOG_LEVEL: must be one of ${logLevels.join(', ')}`);
  if (complaints.length > 0) throw new ConfigError(complaints);
  return Object.freeze({
    stateDir: value('VANTAGE_STATE_DIR') ?? defaultStateDir(env),
    bindAddress,
    proxyUrl,
    tlsPins,
    ignoredProxies: proxyUrl === null ? proxyVariables.filter((name) => Boolean(env[name])) : [],
    engines: {
      allow,
      dnsServers,
      rootHints,
      sources,
      chromium: { path: chromiumPath, hasSandbox: value('VANTAGE_CHROMIUM_SANDBOX') !== '0' },
    },
    upgradeCommand,
    logLevel: logLevel ?? 'info',
    exitWithParent: value('VANTAGE_EXIT_WITH_PARENT') === '1',
    unknownVariables: Object.keys(env).filter(
      (name) => name.startsWith('VANTAGE_') && !Object.hasOwn(environmentVariables, name),
    ),
  });
}

/** Limit of resolv.conf(5). */
const MAX_DNS_SERVERS = 3;
const DNS_PORT = 53;

function parseDnsServers(text: string, complaints: string[]): Endpoint[] {
  const written = splitList(text);
  if (written.length > MAX_DNS_SERVERS)
    complaints.push(`VANTAGE_DNS_SERVERS: must be at most ${MAX_DNS_SERVERS} addresses`);
  return written.flatMap((entry) => {
    const server = findEndpoint(entry, DNS_PORT);
    if (server === null)
      complaints.push(`VANTAGE_DNS_SERVERS: "${entry}" is not ADDRESS, ADDRESS:PORT or [ADDRESS]:PORT`);
    return server ?? [];
  });
}

/** Variables that other programs read their proxy from; a machine may set them for its users. */
const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];

/** A secret may be in it: nothing of it is quoted. */
function isProxyUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && url.protocol === 'http:' && url.pathname === '/' && url.search === '' && url.hash === '';
}

/** State directory without a setting: FHS for root, the XDG base directories for other users. */
export function defaultStateDir(env: Readonly<Record<string, string | undefined>>): string {
  if (process.getuid?.() === 0) return '/var/lib/vantage-agent';
  return join(env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state'), 'vantage-agent');
}
