import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { parseCidr } from '@vantage/shared/target-policy/address-ranges.js';
import { isTlsPin } from './identity/tls-pins.js';
import type { ChromiumWish } from './probes/browser/chromium.js';
import type { LookupSources } from './probes/sources.js';
import { parseSources } from './sources-config.js';
import { splitList } from './split-list.js';

/** Every environment variable the agent reads, and what it is for. An empty one counts as unset. */
export const environmentVariables = {
  VANTAGE_STATE_DIR:
    'directory of the node’s identity and of results not yet delivered (default: /var/lib/vantage-agent as root, else ~/.local/state/vantage-agent)',
  VANTAGE_AGENT_BIND: 'source address of the link to the control plane (default: chosen by the system)',
  VANTAGE_AGENT_PROXY:
    'HTTP proxy that tunnels the link, http://[user:password@]host:port (default: none; HTTPS_PROXY and the like are not used)',
  VANTAGE_AGENT_TLS_PINS:
    'comma-separated pins of the control plane’s TLS key, base64 of the SHA-256 of its SubjectPublicKeyInfo: one of them must fit, besides the usual verification (default: those of enroll --tls-pin, if any)',
  VANTAGE_ALLOW_TARGETS: 'comma-separated CIDRs that probes may reach although they are private (default: none)',
  VANTAGE_DNS_ROOT_HINTS:
    'comma-separated addresses of the root servers that DNS traces begin at, for a private root (default: the public ones)',
  VANTAGE_DNSBL_ZONES:
    'comma-separated DNS blocklists that monitors of type rbl ask unless they name their own (default: zen.spamhaus.org, bl.spamcop.net, psbl.surriel.com, dnsbl.dronebl.org)',
  VANTAGE_DNSBL_SERVERS:
    'comma-separated addresses, with or without a port, of the resolvers that are asked about blocklists, two at most (default: the resolvers of the system; lists refuse public ones)',
  VANTAGE_RDAP_BOOTSTRAP:
    'URL of the list of RDAP servers by domain, RFC 9224, for monitors of type domain_expiry (default: https://data.iana.org/rdap/dns.json)',
  VANTAGE_WHOIS_SERVERS:
    'comma-separated WHOIS servers, ZONE=HOST or ZONE=HOST:PORT, where RDAP says nothing; * is who refers to the others (default: *=whois.iana.org)',
  VANTAGE_ICP_SOURCE:
    'URL with {domain} in it that answers {"icp_number", "company"} in JSON, for monitors of type icp (default: none, they say that no source is configured)',
  VANTAGE_CHROMIUM:
    'absolute path of the Chromium that monitors of type browser load pages with, or none (default: /usr/bin/chromium and other usual places)',
  VANTAGE_CHROMIUM_SANDBOX:
    '0: Chromium may run without its sandbox, where a container permits no user namespaces and is wall enough (default: 1)',
  VANTAGE_AGENT_UPGRADE_COMMAND:
    'absolute path of a command that installs another version of the agent, which it gets as its one argument, and sees to the restart (default: none, upgrades are refused)',
  VANTAGE_LOG_LEVEL: 'trace, debug, info, warn, error or silent (default: info)',
  VANTAGE_EXIT_WITH_PARENT: '1: stop when standard input ends, because whoever started this agent is gone',
} as const;

export type EnvironmentVariable = keyof typeof environmentVariables;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface AgentConfig {
  readonly stateDir: string;
  /** Source address of the link; null: the system chooses. */
  readonly bindAddress: string | null;
  /** HTTP proxy of the link, perhaps with credentials; null: straight. */
  readonly proxyUrl: string | null;
  /** Pins of the control plane's TLS key, instead of those given at enrollment; none: those. */
  readonly tlsPins: readonly string[];
  /** Proxies of the environment that nothing uses, by the names of their variables. */
  readonly ignoredProxies: readonly string[];
  /** CIDRs. */
  readonly allowTargets: readonly string[];
  /** Addresses; none: the public root servers. */
  readonly rootHints: readonly string[];
  /** Whom engines ask about targets. */
  readonly sources: LookupSources;
  /** What loads pages. */
  readonly chromium: ChromiumWish;
  /** Absolute path; null: the control plane can upgrade nothing here. */
  readonly upgradeCommand: string | null;
  readonly logLevel: LogLevel;
  readonly exitWithParent: boolean;
  /** Variables with our prefix that nothing reads: probably typing mistakes. */
  readonly unknownVariables: readonly string[];
}

/** Everything that is wrong with the environment, at once. */
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
  const allowTargets = splitList(value('VANTAGE_ALLOW_TARGETS') ?? '');
  for (const entry of allowTargets.filter((cidr) => parseCidr(cidr) === null))
    complaints.push(`VANTAGE_ALLOW_TARGETS: "${entry}" is not a CIDR`);
  const rootHints = splitList(value('VANTAGE_DNS_ROOT_HINTS') ?? '');
  for (const entry of rootHints.filter((address) => isIP(address) === 0))
    complaints.push(`VANTAGE_DNS_ROOT_HINTS: "${entry}" is not an address`);
  const sources = parseSources(value, complaints);
  const chromiumPath = value('VANTAGE_CHROMIUM') ?? null;
  if (chromiumPath !== null && chromiumPath !== 'none' && !isAbsolute(chromiumPath))
    complaints.push(`VANTAGE_CHROMIUM: "${chromiumPath}" is not an absolute path, nor none`);
  const upgradeCommand = value('VANTAGE_AGENT_UPGRADE_COMMAND') ?? null;
  if (upgradeCommand !== null && !isAbsolute(upgradeCommand))
    complaints.push(`VANTAGE_AGENT_UPGRADE_COMMAND: "${upgradeCommand}" is not an absolute path, without arguments`);
  const logLevel = logLevels.find((level) => level === (value('VANTAGE_LOG_LEVEL') ?? 'info'));
  if (logLevel === undefined) complaints.push(`VANTAGE_LOG_LEVEL: must be one of ${logLevels.join(', ')}`);
  if (complaints.length > 0) throw new ConfigError(complaints);
  return Object.freeze({
    stateDir: value('VANTAGE_STATE_DIR') ?? defaultStateDir(env),
    bindAddress,
    proxyUrl,
    tlsPins,
    ignoredProxies: proxyUrl === null ? proxyVariables.filter((name) => Boolean(env[name])) : [],
    allowTargets,
    rootHints,
    sources,
    chromium: { path: chromiumPath, hasSandbox: value('VANTAGE_CHROMIUM_SANDBOX') !== '0' },
    upgradeCommand,
    logLevel: logLevel ?? 'info',
    exitWithParent: value('VANTAGE_EXIT_WITH_PARENT') === '1',
    unknownVariables: Object.keys(env).filter(
      (name) => name.startsWith('VANTAGE_') && !Object.hasOwn(environmentVariables, name),
    ),
  });
}

/** What other programs take for their proxy; a machine may have them set for its users. */
const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];

/** A secret may be in it: nothing of it is quoted. */
function isProxyUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && url.protocol === 'http:' && url.pathname === '/' && url.search === '' && url.hash === '';
}

/** Where services keep state: FHS for root, the XDG base directories for people. */
function defaultStateDir(env: Readonly<Record<string, string | undefined>>): string {
  if (process.getuid?.() === 0) return '/var/lib/vantage-agent';
  return join(env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state'), 'vantage-agent');
}
