import path from 'node:path';
import type { BusAddress } from './bus/bus-address.js';
import type { LogLevel } from './log.js';
import { defaultPlans, type Plans } from './plans.js';
import {
  type ListenAddress,
  type Mailbox,
  parseBusUrl,
  parseCanaries,
  parseChoice,
  parseCidrs,
  parseContact,
  parseDatabaseUrl,
  parseDirectory,
  parseListen,
  parseListenOrOff,
  parseLogLevel,
  parseMailbox,
  parseNumber,
  parseOrigin,
  parseOrigins,
  parsePlansText,
  parseReadableFile,
  parseSeconds,
  parseSecretKey,
  parseSmtpUrl,
  type SmtpServer,
} from './setting-values.js';

/** What a default may depend on. */
export interface Machine {
  readonly isRoot: boolean;
  readonly homeDirectory: string;
  /** $XDG_DATA_HOME; null when unset. */
  readonly dataHome: string | null;
}

/** One setting: how it is named, explained and read. */
export interface Setting<T> {
  /** Of the environment variable; in the JSON file it is lower case without VANTAGE_. */
  readonly name: `VANTAGE_${string}`;
  /** One sentence for --help and the README. */
  readonly description: string;
  /** The default in words. */
  readonly fallbackText: string;
  /** Secrets may also be given as the path of a file, by NAME_FILE, and are never shown. */
  readonly isSecret: boolean;
  /** @throws ValueError */
  parse(text: string): T;
  fallback(machine: Machine): T;
}

/** Where metrics are served unless said otherwise; a second server on a machine that finds it taken goes without. */
export const defaultMetricsListen = parseListen('127.0.0.1:9464');

/** The one list of the control plane's settings: configuration, --help and the README's table come from it. */
export const settings = {
  databaseUrl: setting<string | null>({
    name: 'VANTAGE_DATABASE_URL',
    description: 'PostgreSQL database, postgres://user:password@host/name',
    fallbackText: 'embedded PostgreSQL in the data directory',
    isSecret: true,
    parse: parseDatabaseUrl,
    fallback: () => null,
  }),
  dataDir: setting<string>({
    name: 'VANTAGE_DATA_DIR',
    description: 'directory of the embedded database and of generated keys',
    fallbackText: '$XDG_DATA_HOME/vantage or ~/.local/share/vantage; for root /var/lib/vantage',
    parse: (text) => path.resolve(text),
    fallback: defaultDataDir,
  }),
  listen: setting<ListenAddress>({
    name: 'VANTAGE_LISTEN',
    description:
      "where the API, the pages and the agents' links are served: host:port, [IPv6]:port or :port for all addresses",
    fallbackText: '127.0.0.1:8080',
    parse: parseListen,
    fallback: () => parseListen('127.0.0.1:8080'),
  }),
  metricsListen: setting<ListenAddress | null>({
    name: 'VANTAGE_METRICS_LISTEN',
    description: 'where /metrics is served, or off',
    fallbackText: '127.0.0.1:9464',
    parse: parseListenOrOff,
    fallback: () => defaultMetricsListen,
  }),
  publicUrl: setting<string | null>({
    name: 'VANTAGE_PUBLIC_URL',
    description: 'http(s) address by which users and agents reach this service, without path',
    fallbackText: 'http(s):// and the listening address',
    parse: parseOrigin,
    fallback: () => null,
  }),
  controlUrls: setting<readonly string[]>({
    name: 'VANTAGE_CONTROL_URLS',
    description:
      'comma-separated http(s) addresses, without path, at which agents reach this service, best first; agents learn them at enrollment and over their links',
    fallbackText: 'VANTAGE_PUBLIC_URL, and agents keep what they know',
    parse: parseOrigins,
    fallback: () => Object.freeze([]),
  }),
  linkRate: setting<number>({
    name: 'VANTAGE_LINK_RATE',
    description: 'agents whose links this replica accepts per second; others are told when to come back',
    fallbackText: '500',
    parse: (text) => parseNumber(text, 1, 100_000),
    fallback: () => 500,
  }),
  unprovenLinks: setting<number>({
    name: 'VANTAGE_LINK_UNPROVEN',
    description: 'sockets of agents that have not yet proved who they are, at once; others are told to come back',
    fallbackText: '2000',
    parse: (text) => parseNumber(text, 1, 100_000),
    fallback: () => 2_000,
  }),
  unprovenLinksPerAddress: setting<number>({
    name: 'VANTAGE_LINK_UNPROVEN_PER_ADDRESS',
    description:
      'the same of one address, or of one IPv6 /64; this machine is exempt. Raise it where many agents share an address',
    fallbackText: '20',
    parse: (text) => parseNumber(text, 1, 100_000),
    fallback: () => 20,
  }),
  replicaUrl: setting<string | null>({
    name: 'VANTAGE_REPLICA_URL',
    description:
      'http(s) address, without path, at which agents reach this very replica, past the load balancer; another one that stops sends its agents there',
    fallbackText: 'none: agents are sent to the addresses they know',
    parse: parseOrigin,
    fallback: () => null,
  }),
  drainMs: setting<number>({
    name: 'VANTAGE_DRAIN_SECONDS',
    description:
      'how long a replica that is told to stop goes on, 0 to 3600: /readyz says 503, load balancers notice, agents are sent elsewhere one after another; only where other replicas live',
    fallbackText: '10',
    parse: (text) => parseSeconds(text, 3_600) * 1_000,
    fallback: () => 10_000,
  }),
  secretKey: setting<Buffer | null>({
    name: 'VANTAGE_SECRET_KEY',
    description: '32 bytes in base64 or hexadecimal that seal keys stored in the database; the same for all replicas',
    fallbackText: 'made once in the data directory',
    isSecret: true,
    parse: parseSecretKey,
    fallback: () => null,
  }),
  busUrl: setting<BusAddress>({
    name: 'VANTAGE_BUS_URL',
    description:
      'how replicas reach each other: postgres, or NATS servers divided by commas, nats://user:password@host:port or nats://token@host:port (TLS where the server wants it) or tls:// (TLS or nothing)',
    fallbackText: 'postgres',
    isSecret: true,
    parse: parseBusUrl,
    fallback: () => parseBusUrl('postgres'),
  }),
  smtp: setting<SmtpServer | null>({
    name: 'VANTAGE_SMTP_URL',
    description:
      'server that takes our mails, smtp://user:password@host:port (STARTTLS where it is offered) or smtps:// (TLS at once); ?tls=required refuses to go without, as does a password, ?tls=off never asks',
    fallbackText: 'none: mails become files in VANTAGE_MAIL_DIR',
    isSecret: true,
    parse: parseSmtpUrl,
    fallback: () => null,
  }),
  mailFrom: setting<Mailbox | null>({
    name: 'VANTAGE_MAIL_FROM',
    description: 'sender of our mails: address, or Name <address>',
    fallbackText: 'Vantage <vantage@host of VANTAGE_PUBLIC_URL>',
    parse: parseMailbox,
    fallback: () => null,
  }),
  mailDir: setting<string | null>({
    name: 'VANTAGE_MAIL_DIR',
    description: 'directory where mails become .eml files when there is no VANTAGE_SMTP_URL',
    fallbackText: 'mail in the data directory',
    parse: (text) => path.resolve(text),
    fallback: () => null,
  }),
  allowTargets: setting<readonly string[]>({
    name: 'VANTAGE_ALLOW_TARGETS',
    description: 'comma-separated CIDRs of private or reserved addresses that probes may touch all the same',
    fallbackText: 'none',
    parse: parseCidrs,
    fallback: () => Object.freeze([]),
  }),
  canaryTargets: setting<readonly string[]>({
    name: 'VANTAGE_CANARY_TARGETS',
    description:
      'comma-separated targets that every node checks its own network with every ten minutes: tcp://host:port or icmp://host',
    fallbackText: 'none: nodes judge by their routes alone',
    parse: parseCanaries,
    fallback: () => Object.freeze([]),
  }),
  denyTargetsFile: setting<string | null>({
    name: 'VANTAGE_DENY_TARGETS_FILE',
    description: 'file with one CIDR, address or domain per line that no probe may touch; re-read within a minute',
    fallbackText: 'none',
    parse: parseReadableFile,
    fallback: () => null,
  }),
  abuseContact: setting<string | null>({
    name: 'VANTAGE_ABUSE_CONTACT',
    description: 'e-mail or http(s) address for those who are bothered by probes; /abuse shows it to anyone',
    fallbackText: 'none: /abuse says so',
    parse: parseContact,
    fallback: () => null,
  }),
  servesSpeedtests: setting<boolean>({
    name: 'VANTAGE_SPEEDTEST',
    description:
      'on: /speedtest answers speed tests of anybody, 25 MB each way, four at a time, twelve requests a minute from one address; off: it does not exist',
    fallbackText: 'off: a line has its price',
    parse: (text) => parseChoice(text, 'on', 'off'),
    fallback: () => false,
  }),
  plans: setting<Plans>({
    name: 'VANTAGE_PLANS',
    description:
      'JSON, or a file with it, that replaces numbers of the plans: {"free": {"monitors": 20, "check_days": 30}}; null = unlimited; check_days is 7, 30, 90 or 365',
    fallbackText: 'the plans of the API specification',
    parse: parsePlansText,
    fallback: () => defaultPlans,
  }),
  isRegistrationOpen: setting<boolean>({
    name: 'VANTAGE_REGISTRATION',
    description:
      'open: anybody may make an account of the plan free; closed: only vantage-control user create makes them',
    fallbackText: 'open',
    parse: (text) => parseChoice(text, 'open', 'closed'),
    fallback: () => true,
  }),
  needsVerifiedEmail: setting<boolean>({
    name: 'VANTAGE_VERIFIED_SIGN_IN',
    description:
      'required: users sign in, and their keys work, only once their e-mail address is verified (registering itself signs in for 15 minutes); optional: it may wait',
    fallbackText: 'optional',
    parse: (text) => parseChoice(text, 'required', 'optional'),
    fallback: () => false,
  }),
  tlsCert: setting<string | null>({
    name: 'VANTAGE_TLS_CERT',
    description: 'file with the certificate chain in PEM; serves https instead of http',
    fallbackText: 'none',
    parse: parseReadableFile,
    fallback: () => null,
  }),
  tlsKey: setting<string | null>({
    name: 'VANTAGE_TLS_KEY',
    description: 'file with the private key of VANTAGE_TLS_CERT in PEM',
    fallbackText: 'none',
    parse: parseReadableFile,
    fallback: () => null,
  }),
  trustedProxies: setting<readonly string[]>({
    name: 'VANTAGE_TRUSTED_PROXIES',
    description: 'comma-separated CIDRs of reverse proxies whose X-Forwarded-For is believed',
    fallbackText: 'none',
    parse: parseCidrs,
    fallback: () => Object.freeze([]),
  }),
  geoipDir: setting<string | null>({
    name: 'VANTAGE_GEOIP_DIR',
    description: 'directory with .mmdb files that place nodes by their address',
    fallbackText: 'none: nodes are placed as they declare',
    parse: parseDirectory,
    fallback: () => null,
  }),
  logLevel: setting<LogLevel>({
    name: 'VANTAGE_LOG_LEVEL',
    description: 'trace, debug, info, warn, error, fatal or silent',
    fallbackText: 'info',
    parse: parseLogLevel,
    fallback: () => 'info',
  }),
};

/** The variable that names the JSON configuration file. */
export const configFileName = 'VANTAGE_CONFIG';

/** How a setting is called in the JSON file. */
export function fileKey(name: string): string {
  return name.slice('VANTAGE_'.length).toLowerCase();
}

function setting<T>(definition: Omit<Setting<T>, 'isSecret'> & { readonly isSecret?: boolean }): Setting<T> {
  return { isSecret: false, ...definition };
}

function defaultDataDir({ isRoot, homeDirectory, dataHome }: Machine): string {
  if (isRoot) return '/var/lib/vantage';
  // a relative value is to be ignored: XDG Base Directory Specification
  const parent =
    dataHome !== null && path.isAbsolute(dataHome) ? dataHome : path.join(homeDirectory, '.local', 'share');
  return path.join(parent, 'vantage');
}
