import type { Clock } from '@vantage/shared/clock.js';
import { parseSetCookie, type ReadCookie } from '@vantage/shared/headers/cookies.js';
import { readHttpDate } from '@vantage/shared/headers/http-date.js';
import { fieldValues } from './field-values.js';
import { MAX_COOKIE_BYTES, MAX_COOKIES, MAX_COOKIES_BYTES } from './limits.js';

interface Cookie {
  readonly host: string;
  readonly path: string;
  readonly isSecure: boolean;
  readonly expiresAtMs: number;
  /** As it is sent back. */
  readonly pair: string;
}

/** Octets that no cookie may have (RFC 6265bis section 5.6). */
const controls = /[\0-\x08\x0a-\x1f\x7f]/;

/**
 * Cookies that the responses of one chain of redirects set, in memory (RFC 6265 sections 5.3 and 5.4). A site that sets a
 * cookie and redirects to itself expects it back. Each is returned to the host alone that set it, whatever its Domain says;
 * path, Secure and the end of its life are respected. What exceeds the limits is ignored.
 */
export class CookieJar {
  /** By host, path and name, in the order of their creation. */
  readonly #cookies = new Map<string, Cookie>();
  readonly #clock: Pick<Clock, 'now'>;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Takes the cookies of a response; `rawHeaders` are names and values in turn. */
  store(url: URL, rawHeaders: readonly string[]): void {
    for (const line of fieldValues(rawHeaders, 'set-cookie').slice(0, 2 * MAX_COOKIES)) {
      const cookie = line.length > 2 * MAX_COOKIE_BYTES ? null : parseSetCookie(line);
      if (cookie !== null && isTaken(cookie, url)) this.#keep(cookie, url);
    }
  }

  /** Value of the header Cookie of a request; empty: there is none. */
  headerFor(url: URL): string {
    const nowMs = this.#clock.now();
    const sent = [...this.#cookies.values()].filter(
      ({ host, path, isSecure, expiresAtMs }) =>
        host === url.hostname &&
        isBelow(url.pathname, path) &&
        (!isSecure || url.protocol === 'https:') &&
        expiresAtMs > nowMs,
    );
    // the longest path first; those with equal paths stay in their order
    sent.sort((a, b) => b.path.length - a.path.length);
    return sent.map(({ pair }) => pair).join('; ');
  }

  #keep({ name, value, secure: isSecure, attributes }: ReadCookie, url: URL): void {
    const path = attributes['path']?.startsWith('/') ? attributes['path'] : defaultPath(url.pathname);
    const key = [url.hostname, path, name].join('\n');
    const expiresAtMs = endOf(attributes, this.#clock.now());
    const pair = name === '' ? value : `${name}=${value}`;
    if (expiresAtMs <= this.#clock.now()) this.#cookies.delete(key);
    else if (this.#hasRoomFor(key, pair))
      this.#cookies.set(key, { host: url.hostname, path, isSecure, expiresAtMs, pair });
  }

  #hasRoomFor(key: string, pair: string): boolean {
    const others = [...this.#cookies].filter(([other]) => other !== key);
    const bytes = others.reduce((sum, [, other]) => sum + other.pair.length, pair.length);
    return others.length < MAX_COOKIES && bytes <= MAX_COOKIES_BYTES;
  }
}

/** True for a cookie that browsers accept from this URL. */
function isTaken({ name, value, secure, attributes, isPrefixBroken }: ReadCookie, url: URL): boolean {
  if (name.length + value.length > MAX_COOKIE_BYTES || controls.test(name) || controls.test(value)) return false;
  if (isPrefixBroken || (secure && url.protocol !== 'https:')) return false;
  const domain = attributes['domain']?.replace(/^\./, '').toLowerCase() ?? '';
  return domain === '' || url.hostname === domain || url.hostname.endsWith(`.${domain}`);
}

/** Wall-clock instant after which a cookie is gone; Max-Age comes before Expires, and what cannot be read is ignored. */
function endOf({ 'max-age': maxAge = '', expires = '' }: ReadCookie['attributes'], nowMs: number): number {
  if (/^-?\d+$/.test(maxAge)) return nowMs + Number(maxAge) * 1000;
  return readHttpDate(expires) ?? Number.POSITIVE_INFINITY;
}

/** Path of a cookie that names none: the folder of the request (RFC 6265 section 5.1.4). */
function defaultPath(pathname: string): string {
  return pathname.slice(0, Math.max(1, pathname.lastIndexOf('/')));
}

function isBelow(pathname: string, path: string): boolean {
  return pathname === path || (pathname.startsWith(path) && (path.endsWith('/') || pathname[path.length] === '/'));
}
