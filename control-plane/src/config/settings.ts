import path from 'node:path';
import type { BusAddress } from '../bus/bus-address.js';
import type { NodeSelection } from '../modules/nodes/index.js';
import { parseFrom } from '../node-words.js';
import { defaultPlans, type Plans } from '../plans/index.js';
import type { LogLevel } from '../runtime/log.js';
import {
  type ChannelUrls,
  type Gateway,
  parseChannelUrls,
  parseSmsGateway,
  parseVoiceGateway,
} from './channel-settings.js';
import { type ProviderSettings, parseProviders, parseRedirects } from './oauth-settings.js';
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
  parseProxies,
  parseRates,
  parseReadableFile,
  parseReleaseKey,
  parseReleaseUrl,
  parseSeconds,
  parseSecretKey,
  parseSmtpUrl,
  type SmtpServer,
} from './setting-values.js';

/** Properties of the machine that defaults may depend on. */
export interface Machine {
  readonly isRoot: boolean;
  readonly homeDirectory: string;
  /** $XDG_DATA_HOME; null when unset. */
  readonly dataHome: string | null;
}

/** One setting: how it is named, explained and read. */
export interface Setting<T> {
  /** Name of the environment variable; in the JSON file it is lower case without VANTAGE_. */
  readonly name: `VANTAGE_${string}`;
  /** One sentence for --help and docs/settings.md. */
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

/** The one list of the control plane's settings: configuration, --help and the table of docs/settings.md come from it. */
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
      'address that serves the API, the pages and the links of agents: host:port, [IPv6]:port or :port for all addresses',
    fallbackText: '127.0.0.1:8080',
    parse: parseListen,
    fallback: () => parseListen('127.0.0.1:8080'),
  }),
  metricsListen: setting<ListenAddress | null>({
    name: 'VANTAGE_METRICS_LISTEN',
    description: 'address that serves /metrics, or off',
    fallbackText: '127.0.0.1:9464',
    parse: parseListenOrOff,
    fallback: () => defaultMetricsListen,
  }),
  publicUrl: setting<string | null>({
    name: 'VANTAGE_PUBLIC_URL',
    description: 'http(s) address at which users and agents reach this service, without a path',
    fallbackText: 'http(s):// and the listening address',
    parse: parseOrigin,
    fallback: () => null,
  }),
  controlUrls: setting<readonly string[]>({
    name: 'VANTAGE_CONTROL_URLS',
    description:
      'comma-separated http(s) addresses, without path, at which agents reach this service, best first; agents learn them at enrollment and over their links',
    fallbackText: 'VANTAGE_PUBLIC_URL, and agents keep the addresses they know',
    parse: parseOrigins,
    fallback: () => Object.freeze([]),
  }),
  linkRate: setting<number>({
    name: 'VANTAGE_LINK_RATE',
    description: 'agents whose links this replica accepts per second; others get a time to return',
    fallbackText: '500',
    parse: (text) => parseNumber(text, 1, 100_000),
    fallback: () => 500,
  }),
  unprovenLinks: setting<number>({
    name: 'VANTAGE_LINK_UNPROVEN',
    description: 'concurrent connections of agents that have not authenticated yet; others are asked to return later',
    fallbackText: '2000',
    parse: (text) => parseNumber(text, 1, 100_000),
    fallback: () => 2_000,
  }),
  unprovenLinksPerAddress: setting<number>({
    name: 'VANTAGE_LINK_UNPROVEN_PER_ADDRESS',
    description:
      'the same per address or IPv6 /64, including connections closed within the last ten seconds; this machine is exempt. Raise it if many agents share an address',
    fallbackText: '20',
    parse: (text) => parseNumber(text, 1, 100_000),
    fallback: () => 20,
  }),
  connectionsPerAddress: setting<number>({
    name: 'VANTAGE_CONNECTIONS_PER_ADDRESS',
    description:
      'concurrent connections per address or IPv6 /64, except links; this machine and VANTAGE_TRUSTED_PROXIES are exempt. Raise it behind a load balancer that forwards TCP',
    fallbackText: '1000',
    parse: (text) => parseNumber(text, 1, 1_000_000),
    fallback: () => 1_000,
  }),
  streams: setting<number>({
    name: 'VANTAGE_STREAMS',
    description: 'concurrent event streams (GET /v1/events/stream) of this replica; others get status 429',
    fallbackText: '5000',
    parse: (text) => parseNumber(text, 1, 100_000),
    fallback: () => 5_000,
  }),
  replicaUrl: setting<string | null>({
    name: 'VANTAGE_REPLICA_URL',
    description:
      'http(s) address, without path, at which agents reach this replica directly, bypassing the load balancer; a stopping replica sends its agents to these addresses',
    fallbackText: 'none: agents are sent to the addresses they know',
    parse: parseOrigin,
    fallback: () => null,
  }),
  drainMs: setting<number>({
    name: 'VANTAGE_DRAIN_SECONDS',
    description:
      'time for which a stopping replica continues, 0 to 3600: /readyz returns 503, load balancers notice, and agents are sent elsewhere one after another; a single replica does not wait',
    fallbackText: '10',
    parse: (text) => parseSeconds(text, 3_600) * 1_000,
    fallback: () => 10_000,
  }),
  secretKey: setting<Buffer | null>({
    name: 'VANTAGE_SECRET_KEY',
    description:
      '32 bytes in base64 or hexadecimal with which keys in the database are sealed; the same for all replicas',
    fallbackText: 'created once in the data directory',
    isSecret: true,
    parse: parseSecretKey,
    fallback: () => null,
  }),
  busUrl: setting<BusAddress>({
    name: 'VANTAGE_BUS_URL',
    description:
      'how replicas notify each other: postgres, or comma-separated NATS servers, nats://user:password@host:port or nats://token@host:port (TLS if the server requires it) or tls:// (TLS always)',
    fallbackText: 'postgres',
    isSecret: true,
    parse: parseBusUrl,
    fallback: () => parseBusUrl('postgres'),
  }),
  smtp: setting<SmtpServer | null>({
    name: 'VANTAGE_SMTP_URL',
    description:
      'mail server, smtp://user:password@host:port (STARTTLS, which is optional for a server on this machine) or smtps:// (TLS from the start); ?tls=required requires STARTTLS there too, ?tls=optional sends unencrypted if it is not offered, ?tls=off never uses it',
    fallbackText: 'none: mails are written to VANTAGE_MAIL_DIR',
    isSecret: true,
    parse: parseSmtpUrl,
    fallback: () => null,
  }),
  mailFrom: setting<Mailbox | null>({
    name: 'VANTAGE_MAIL_FROM',
    description: 'sender of mails: address, or Name <address>',
    fallbackText: 'Vantage <vantage@host of VANTAGE_PUBLIC_URL>',
    parse: parseMailbox,
    fallback: () => null,
  }),
  mailDir: setting<string | null>({
    name: 'VANTAGE_MAIL_DIR',
    description: 'directory to which mails are written as files without VANTAGE_SMTP_URL',
    fallbackText: 'mail in the data directory',
    parse: (text) => path.resolve(text),
    fallback: () => null,
  }),
  channelUrls: setting<ChannelUrls>({
    name: 'VANTAGE_CHANNEL_URLS',
    description:
      'JSON with origins that alert channels use in place of the addresses of vendors: {"slack": "https://chat.example"}; types: slack, telegram, wecom, dingtalk, feishu, lark, wechat, pagerduty. Such an origin is exempt from the target policy, and channels of its type may use no other origin',
    fallbackText: 'none: the addresses of the vendors',
    parse: parseChannelUrls,
    fallback: () => Object.freeze({}),
  }),
  smsGateway: setting<Gateway | null>({
    name: 'VANTAGE_SMS_GATEWAY',
    description:
      'JSON with the gateway for text messages: {"kind": "generic", "url", "headers", "body", "success_status", "id_path"}, where body has {{to}}, {{text}} and {{id}}, or {"kind": "twilio", "account_sid", "auth_token", "from" or "messaging_service_sid", "base_url"}',
    fallbackText: 'none: channels of type sms are refused',
    isSecret: true,
    parse: parseSmsGateway,
    fallback: () => null,
  }),
  voiceGateway: setting<Gateway | null>({
    name: 'VANTAGE_VOICE_GATEWAY',
    description: 'the same for calls, whose text is spoken; body may also have {{locale}} and {{repeats}}',
    fallbackText: 'none: channels of type voice are refused',
    isSecret: true,
    parse: parseVoiceGateway,
    fallback: () => null,
  }),
  allowTargets: setting<readonly string[]>({
    name: 'VANTAGE_ALLOW_TARGETS',
    description: 'comma-separated CIDRs of private or reserved addresses that probes may reach nevertheless',
    fallbackText: 'none',
    parse: parseCidrs,
    fallback: () => Object.freeze([]),
  }),
  canaryTargets: setting<readonly string[]>({
    name: 'VANTAGE_CANARY_TARGETS',
    description:
      'comma-separated targets with which every node checks its own network every ten minutes: tcp://host:port or icmp://host',
    fallbackText: 'none: nodes examine only their routes',
    parse: parseCanaries,
    fallback: () => Object.freeze([]),
  }),
  denyTargetsFile: setting<string | null>({
    name: 'VANTAGE_DENY_TARGETS_FILE',
    description:
      'file with one CIDR, address or domain per line that no probe may reach; changes are read within a minute',
    fallbackText: 'none',
    parse: parseReadableFile,
    fallback: () => null,
  }),
  abuseContact: setting<string | null>({
    name: 'VANTAGE_ABUSE_CONTACT',
    description: 'e-mail or http(s) address for complaints about probes, shown at /abuse',
    fallbackText: 'none: /abuse says so',
    parse: parseContact,
    fallback: () => null,
  }),
  releaseFolder: setting<string | null>({
    name: 'VANTAGE_RELEASE_DIR',
    description: 'folder of a release that /release serves to agents that are installed, such as release/0.1.0',
    fallbackText: 'none',
    parse: parseDirectory,
    fallback: () => null,
  }),
  releaseUrl: setting<string | null>({
    name: 'VANTAGE_RELEASE_URL',
    description: 'URL of the release from which /install.sh installs agents',
    fallbackText: '/release of this control plane, if there is a VANTAGE_RELEASE_DIR',
    parse: parseReleaseUrl,
    fallback: () => null,
  }),
  releaseKey: setting<string | null>({
    name: 'VANTAGE_RELEASE_KEY',
    description: 'public key of the release, one line as minisign and npm run release print it',
    fallbackText: 'none: /install.sh asks for it',
    parse: parseReleaseKey,
    fallback: () => null,
  }),
  servesSpeedtests: setting<boolean>({
    name: 'VANTAGE_SPEEDTEST',
    description:
      'on: /speedtest lets anyone run speed tests, 25 MB in each direction, four at a time, twelve requests a minute per address; off: it does not exist',
    fallbackText: 'off',
    parse: (text) => parseChoice(text, 'on', 'off'),
    fallback: () => false,
  }),
  plans: setting<Plans>({
    name: 'VANTAGE_PLANS',
    description:
      'JSON, or the path of a JSON file, that replaces numbers of the plans: {"free": {"monitors": 20, "check_days": 30}}; null = unlimited; check_days is 7, 30, 90 or 365',
    fallbackText: 'docs/plans.md',
    parse: parsePlansText,
    fallback: () => defaultPlans,
  }),
  isRegistrationOpen: setting<boolean>({
    name: 'VANTAGE_REGISTRATION',
    description:
      'open: anyone may create an account with the plan free; closed: only vantage-control user create creates accounts',
    fallbackText: 'open',
    parse: (text) => parseChoice(text, 'open', 'closed'),
    fallback: () => true,
  }),
  needsVerifiedEmail: setting<boolean>({
    name: 'VANTAGE_VERIFIED_SIGN_IN',
    description:
      'required: users can sign in and use keys only after they have verified their e-mail address (registering signs in for 15 minutes); optional: they can verify it later',
    fallbackText: 'optional',
    parse: (text) => parseChoice(text, 'required', 'optional'),
    fallback: () => false,
  }),
  providers: setting<readonly ProviderSettings[]>({
    name: 'VANTAGE_OAUTH',
    description:
      'JSON, or the path of a JSON file, with external providers by which people sign in: [{"id", "name", "kind": "oidc", "issuer", "client_id", "client_secret"}], or {"kind": "github"} with an optional "base_url" in place of issuer. Its own origin is exempt from the target policy',
    fallbackText: 'none',
    isSecret: true,
    parse: parseProviders,
    fallback: () => Object.freeze([]),
  }),
  providerRedirects: setting<readonly string[]>({
    name: 'VANTAGE_OAUTH_REDIRECTS',
    description:
      'comma-separated addresses of clients, in addition to /sign-in/oauth/{provider}/callback of VANTAGE_PUBLIC_URL, to which a provider may send the browser back',
    fallbackText: 'none',
    parse: parseRedirects,
    fallback: () => Object.freeze([]),
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
    description: 'comma-separated CIDRs of reverse proxies whose X-Forwarded-For is trusted',
    fallbackText: 'none',
    parse: parseProxies,
    fallback: () => Object.freeze([]),
  }),
  lookupNodes: setting<NodeSelection | null>({
    name: 'VANTAGE_LOOKUP_NODES',
    description:
      'nodes that run lookups, in the words of vantage --from: only nodes of administrators, and those named by id',
    fallbackText: 'tag:lookup; without a node that has it, the public nodes of administrators',
    parse: parseFrom,
    fallback: () => null,
  }),
  registryRates: setting<ReadonlyMap<string, number>>({
    name: 'VANTAGE_REGISTRY_RATES',
    description:
      'comma-separated HOST=PER_MINUTE: queries that all nodes together send to an RDAP or WHOIS server for lookups',
    fallbackText: '30 for every server',
    parse: parseRates,
    fallback: () => new Map(),
  }),
  reputationLists: setting<string | null>({
    name: 'VANTAGE_REPUTATION_LISTS',
    description:
      'JSON file with the lists of addresses by which reputations are judged, at most 50: [{"name", "signal", "format", "file" or "url", "refresh_s", "max_age_s", "license", "attribution"}]',
    fallbackText: 'none: GET /v1/ip/reputation is unavailable',
    parse: parseReadableFile,
    fallback: () => null,
  }),
  reputationDnsbl: setting<string>({
    name: 'VANTAGE_REPUTATION_DNSBL',
    description:
      'comma-separated zones of DNS blocklists, at most 8, that lookup nodes ask about addresses: ZONE, or ZONE=CODE:SIGNAL to count a return code in the score',
    fallbackText: 'none',
    parse: (text) => text,
    fallback: () => '',
  }),
  geoipDir: setting<string | null>({
    name: 'VANTAGE_GEOIP_DIR',
    description: 'directory with .mmdb files that locate nodes by their address',
    fallbackText: 'none: nodes are located where they declare to be',
    parse: parseDirectory,
    fallback: () => null,
  }),
  geoipAttribution: setting<readonly string[]>({
    name: 'VANTAGE_GEOIP_ATTRIBUTION',
    description:
      'lines that the licences of these files ask for, shown in every answer about an address, on its page and in /docs',
    fallbackText: 'none',
    parse: (text) =>
      Object.freeze(
        text
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== ''),
      ),
    fallback: () => Object.freeze([]),
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
  // a relative value must be ignored: XDG Base Directory Specification
  const parent =
    dataHome !== null && path.isAbsolute(dataHome) ? dataHome : path.join(homeDirectory, '.local', 'share');
  return path.join(parent, 'vantage');
}
