import { type AddNote, EntryError } from '../entry/entry.js';
import type { Fields } from '../entry/fields.js';
import { milliseconds } from './gatus-fields.js';

/** Shortest timeout of each type, in milliseconds. */
const leastTimeouts = { http: 1_000, ssl: 1_000, tcp: 100, dns: 100, ping: 100 } as const;
const MOST_TIMEOUT_MS = 30_000;
const MOST_PING_TIMEOUT_MS = 10_000;

const families: Readonly<Record<string, string>> = { ip: 'auto', ip4: 'v4', ip6: 'v6' };

/** Connection settings of an endpoint's client, as settings of a type. @throws EntryError for an authentication that is not supported */
export function gatusClient(
  fields: Fields,
  type: keyof typeof leastTimeouts,
  note: AddNote,
): Readonly<Record<string, unknown>> {
  const client = fields.fields('client');
  if (client === null) return {};
  for (const way of ['oauth2', 'identity-aware-proxy', 'tls'])
    if (client.any(way))
      throw new EntryError(client.nameOf(way), 'not_supported', 'is not supported: use basic or bearer authentication');
  const timeout = milliseconds(client, 'timeout');
  const family = families[client.text('network') ?? 'ip'] ?? 'auto';
  const settings = {
    ...(timeout === null ? {} : { timeout_ms: timeoutWithin(timeout, type, note) }),
    ...(family === 'auto' || type === 'dns' ? {} : { ip_version: family }),
    ...(type === 'http' ? httpSettings(client, note) : {}),
  };
  for (const field of client.unread) note(field, 'was not imported: it is not supported');
  return settings;
}

function timeoutWithin(ms: number, type: keyof typeof leastTimeouts, note: AddNote): number {
  const most = type === 'ping' ? MOST_PING_TIMEOUT_MS : MOST_TIMEOUT_MS;
  const within = Math.round(Math.min(most, Math.max(leastTimeouts[type], ms)));
  if (within !== ms) note('client.timeout', `${ms} ms was changed to ${within} ms`);
  return within;
}

function httpSettings(client: Fields, note: AddNote): object {
  const resolver = client.text('dns-resolver');
  const [, host = null, port = '53'] = /^\w+:\/\/(.+?)(?::(\d+))?$/.exec(resolver ?? '') ?? [];
  if (port !== '53')
    throw new EntryError('client.dns-resolver', 'not_supported', `has port ${port}: nodes query resolvers at port 53`);
  if (resolver !== null && host === null)
    note('client.dns-resolver', 'was not imported: it is not a tcp:// or udp:// address');
  return {
    ...(client.flag('insecure') === true ? { verify_tls: false } : {}),
    ...(client.flag('ignore-redirect') === true ? { follow_redirects: false } : {}),
    ...(host === null ? {} : { resolver: host.replace(/^\[|\]$/g, '') }),
  };
}
