import { EntryError } from '../entry/entry.js';
import { Fields } from '../entry/fields.js';
import { sendableHeaders } from '../entry/headers.js';
import { splitCredentials, type UrlCredentials } from '../entry/targets.js';
import { type KumaTiming, timeoutOf } from './kuma-timing.js';

const MOST_REDIRECTS = 5;
/** Days before its expiry at which a certificate degrades a monitor; Uptime Kuma notifies 21, 14 and 7 days before. */
const EXPIRY_DAYS = 14;

/** Media types of bodies by their names in Uptime Kuma. */
const bodyTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  xml: 'text/xml; charset=utf-8',
  form: 'application/x-www-form-urlencoded',
};

/** Request settings of a monitor of HTTP. */
export function kumaHttpConfig(
  fields: Fields,
  timing: KumaTiming,
): { readonly target: string; readonly config: Readonly<Record<string, unknown>> } {
  const { url, credentials } = splitCredentials(fields.required('url'));
  const headers = sendableHeaders(headersOf(fields), url, timing.note);
  const body = fields.text('body');
  const statuses = fields.list('accepted_statuscodes').map(String);
  const auth = authOf(fields, credentials);
  const isUnverified = fields.flag('ignoreTls') === true;
  return {
    target: url,
    config: {
      method: (fields.text('method') ?? 'GET').toUpperCase(),
      headers: body === null ? headers : withBodyType(headers, fields.text('httpBodyEncoding')),
      ...(body === null ? {} : { body }),
      ...(statuses.length === 0 ? {} : { expected_status: statuses }),
      ...redirectsOf(fields, timing),
      ...(isUnverified ? { verify_tls: false } : {}),
      ...(auth === null ? {} : { auth }),
      ...timeoutOf(fields, timing, 1_000),
      ...expiryOf(fields, { isTls: /^https:/i.test(url) && !isUnverified }, timing),
    },
  };
}

/** Uptime Kuma keeps them as a text of JSON. */
function headersOf(fields: Fields): Record<string, string> {
  const given = fields.any('headers');
  if (given === undefined || given === null || given === '') return {};
  return new Fields({ headers: typeof given === 'string' ? parsed(given) : given }).texts('headers') ?? {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new EntryError('headers', 'format', 'must be a JSON object');
  }
}

function withBodyType(headers: Record<string, string>, encoding: string | null): Record<string, string> {
  const type = bodyTypes[encoding ?? 'json'];
  const isNamed = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return type === undefined || isNamed ? headers : { ...headers, 'Content-Type': type };
}

function redirectsOf(fields: Fields, { note }: KumaTiming): Record<string, unknown> {
  const most = fields.number('maxredirects');
  if (most === null) return {};
  if (most <= 0) return { follow_redirects: false };
  if (most > MOST_REDIRECTS)
    note('maxredirects', `${most} was changed to ${MOST_REDIRECTS}, the most redirects that are followed`);
  return { max_redirects: Math.min(MOST_REDIRECTS, Math.round(most)) };
}

/** Authentication settings. @throws EntryError for a method that is not supported: without it the monitor would be down */
function authOf(fields: Fields, inUrl: UrlCredentials | null): object | null {
  const method = fields.text('authMethod') ?? 'basic';
  const username = fields.text('basic_auth_user');
  const password = fields.text('basic_auth_pass');
  if (method !== 'basic')
    throw new EntryError(
      'authMethod',
      'not_supported',
      `"${method}" is not supported: use basic or bearer authentication`,
    );
  if (username !== null) return { type: 'basic', username, password: password ?? '' };
  return inUrl === null ? null : { type: 'basic', ...inUrl };
}

function expiryOf(fields: Fields, { isTls }: { readonly isTls: boolean }, { note }: KumaTiming): object {
  if (fields.flag('expiryNotification') !== true || !isTls) return {};
  note('expiryNotification', `the monitor is degraded if its certificate expires within ${EXPIRY_DAYS} days`);
  const assertion = { type: 'ssl_days_remaining', op: 'gt', value: EXPIRY_DAYS, severity: 'degraded' };
  return { assertions: [assertion] };
}
