import type { ProbeSpecs, ProbeType } from '@vantage/shared/probe-types/index.js';

type Params<T extends ProbeType> = ProbeSpecs[T]['params'];
export type ParamName = { [T in ProbeType]: keyof Params<T> }[ProbeType];

/** How a parameter is entered: one of these values, or by its kind. `lines` are texts, `headers` names and values, one on each line. */
export type Entry = readonly string[] | 'yes-no' | 'number' | 'text' | 'lines' | 'headers';

type EntryOf<V> = [V] extends [boolean]
  ? 'yes-no'
  : [V] extends [number]
    ? 'number'
    : [V] extends [readonly string[]]
      ? 'lines'
      : [V] extends [string]
        ? string extends V
          ? 'text'
          : readonly V[]
        : 'headers';

const family = ['auto', 'v4', 'v6'] as const;
const protocol = ['icmp', 'udp', 'tcp'] as const;

/** Parameters of each type: the first few are those that people change most. One that is missing does not compile. */
const entries: {
  readonly [T in ProbeType]: { readonly [N in keyof Params<T>]-?: EntryOf<NonNullable<Params<T>[N]>> };
} = {
  http: {
    method: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'],
    follow_redirects: 'yes-no',
    ip_version: family,
    http_version: ['auto', '1.1', '2'],
    max_redirects: 'number',
    resolver: 'text',
    verify_tls: 'yes-no',
    keywords: 'lines',
    json_paths: 'lines',
    headers: 'headers',
    body: 'text',
    timeout_ms: 'number',
  },
  ping: {
    count: 'number',
    protocol: ['icmp', 'tcp'],
    ip_version: family,
    port: 'number',
    size: 'number',
    ttl: 'number',
    interval_ms: 'number',
    timeout_ms: 'number',
  },
  dns: {
    record_type: [
      'A',
      'AAAA',
      'CNAME',
      'MX',
      'TXT',
      'NS',
      'SOA',
      'CAA',
      'ANY',
      'PTR',
      'SRV',
      'DS',
      'DNSKEY',
      'HTTPS',
      'SVCB',
    ],
    server: 'text',
    transport: ['udp', 'tcp', 'dot', 'doh'],
    port: 'number',
    dnssec: 'yes-no',
    trace: 'yes-no',
    verify_tls: 'yes-no',
    timeout_ms: 'number',
  },
  tcp: { port: 'number', count: 'number', ip_version: family, banner: 'yes-no', timeout_ms: 'number' },
  traceroute: {
    protocol,
    max_hops: 'number',
    ip_version: family,
    port: 'number',
    queries: 'number',
    flows: 'number',
    reverse_dns: 'yes-no',
    timeout_ms: 'number',
  },
  mtr: {
    cycles: 'number',
    protocol,
    ip_version: family,
    max_hops: 'number',
    port: 'number',
    interval_ms: 'number',
    flows: 'number',
    reverse_dns: 'yes-no',
    timeout_ms: 'number',
  },
  smtp: {
    port: 'number',
    starttls: ['auto', 'require', 'never'],
    ip_version: family,
    verify_tls: 'yes-no',
    timeout_ms: 'number',
  },
  ntp: { count: 'number', ip_version: family, port: 'number', interval_ms: 'number', timeout_ms: 'number' },
  ssl: { port: 'number', server_name: 'text', ip_version: family, timeout_ms: 'number' },
  speedtest: {
    upload: 'yes-no',
    ip_version: family,
    bytes: 'number',
    duration_ms: 'number',
    timeout_ms: 'number',
  },
};

/** How many of them are shown at once. */
const SHOWN = 3;

/** Names of the types, which are those of the protocols. */
export const probeTitles: Readonly<Record<ProbeType, string>> = {
  http: 'HTTP',
  ping: 'ping',
  dns: 'DNS',
  tcp: 'TCP',
  traceroute: 'traceroute',
  mtr: 'MTR',
  smtp: 'SMTP',
  ntp: 'NTP',
  ssl: 'SSL',
  speedtest: 'speedtest',
};
export const probeTypes = Object.keys(probeTitles) as readonly ProbeType[];

export function isProbeType(name: string): name is ProbeType {
  return Object.hasOwn(probeTitles, name);
}

/** Parameters of a type: those that are shown at once, and the others. */
export function paramsOf(type: ProbeType) {
  const all = Object.entries(entries[type]) as [ParamName, Entry][];
  return { shown: all.slice(0, SHOWN), others: all.slice(SHOWN) };
}

/** Parameters that may hold secrets: they are never part of an address. */
export const secretParams: readonly string[] = ['headers', 'body'];

/** Values of parameters as the API takes them, of what was entered. An empty field has the default of the API. */
export function valuesOf(
  type: ProbeType,
  entered: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const all = Object.entries(entries[type]) as [ParamName, Entry][];
  const given = all.filter(([name]) => (entered[name] ?? '').trim() !== '');
  return Object.fromEntries(given.map(([name, entry]) => [name, valueOf(entry, entered[name] ?? '')]));
}

/** Text that is no number stays one, and the API says so. */
function valueOf(entry: Entry, text: string): unknown {
  if (entry === 'number') return Number.isNaN(Number(text)) ? text : Number(text);
  if (entry === 'yes-no') return text === 'true';
  if (entry === 'lines') return linesOf(text);
  if (entry !== 'headers') return text;
  const pairs = linesOf(text).map((line) => {
    const [name = '', ...rest] = line.split(':');
    return [name.trim(), rest.join(':').trim()];
  });
  return Object.fromEntries(pairs);
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => line.trim() || []);
}
