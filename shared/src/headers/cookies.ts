import { trimBlanks } from './trim-blanks.js';

/** A cookie as a response sets it, without its value. */
export interface SetCookie {
  readonly name: string;
  readonly secure: boolean;
  readonly http_only: boolean;
  /** Strict, Lax or None; null without a known value. */
  readonly same_site: 'Strict' | 'Lax' | 'None' | null;
}

/** Weaknesses of cookies. */
export type CookieWeakness =
  | 'cookie_not_secure'
  | 'cookie_prefix_broken'
  | 'cookie_none_not_secure'
  | 'cookie_not_http_only'
  | 'cookie_no_same_site';

interface Attributes {
  readonly [name: string]: string;
}

/** A Set-Cookie line as it was read. */
export interface ReadCookie extends SetCookie {
  readonly value: string;
  /** Attributes by their names in lower case. */
  readonly attributes: Attributes;
  /** True if it lacks the attributes of its prefix. */
  readonly isPrefixBroken: boolean;
}

/** Reads one Set-Cookie line (RFC 6265bis section 5.6); null for one that browsers ignore. */
export function parseSetCookie(line: string): ReadCookie | null {
  const [pair = '', ...parts] = line.split(';');
  const equals = pair.indexOf('=');
  const name = trimBlanks(pair.slice(0, Math.max(0, equals)));
  const value = trimBlanks(pair.slice(equals + 1));
  if (name === '' && trimBlanks(pair) === '') return null;
  const attributes: Attributes = Object.fromEntries(parts.map(readAttribute));
  const secure = 'secure' in attributes;
  return {
    name,
    value,
    attributes,
    secure,
    http_only: 'httponly' in attributes,
    same_site: sameSites[attributes['samesite']?.toLowerCase() ?? ''] ?? null,
    isPrefixBroken: isPrefixBroken(name, secure, attributes),
  };
}

/** Weaknesses of the cookies of a response; over plain http none can be secure, which is another finding. */
export function cookieWeaknesses(lines: readonly string[], isHttps: boolean): CookieWeakness[] {
  const found = new Set<CookieWeakness>();
  for (const cookie of lines.map(parseSetCookie)) {
    if (cookie === null) continue;
    if (isHttps && !cookie.secure) found.add('cookie_not_secure');
    if (cookie.same_site === 'None' && !cookie.secure) found.add('cookie_none_not_secure');
    if (cookie.isPrefixBroken) found.add('cookie_prefix_broken');
    if (!cookie.http_only) found.add('cookie_not_http_only');
    if (cookie.same_site === null) found.add('cookie_no_same_site');
  }
  return [...found];
}

const sameSites: Readonly<Record<string, SetCookie['same_site']>> = { strict: 'Strict', lax: 'Lax', none: 'None' };

/** The last of several attributes of one name counts. */
function readAttribute(part: string): [string, string] {
  const equals = part.indexOf('=');
  const name = equals < 0 ? part : part.slice(0, equals);
  return [trimBlanks(name).toLowerCase(), equals < 0 ? '' : trimBlanks(part.slice(equals + 1))];
}

/** RFC 6265bis section 4.1.3; names are compared without case. */
function isPrefixBroken(name: string, secure: boolean, attributes: Attributes): boolean {
  if (/^__secure-/i.test(name)) return !secure;
  if (!/^__host-/i.test(name)) return false;
  return !secure || attributes['path'] !== '/' || (attributes['domain'] ?? '') !== '';
}
