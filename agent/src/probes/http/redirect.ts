import { locationUrl } from '@vantage/shared/headers/location.js';
import { isRedirect } from '@vantage/shared/headers/response.js';
import { parseHttpUrl } from '@vantage/shared/target-policy/url.js';
import { ProbeFailure, refusing } from '../failure.js';
import type { CookieJar } from './cookie-jar.js';
import { fieldValues } from './field-values.js';
import type { Hop } from './hop.js';
import { MAX_URL_LENGTH } from './limits.js';
import type { HttpRequest } from './request.js';

/** Headers that speak of a body, dropped with it (Fetch standard, HTTP-redirect fetch). */
const bodyHeaders = new Set(['content-encoding', 'content-language', 'content-location', 'content-type']);

/**
 * Target of a redirect, as the server wrote it; null when the response is no redirect. An empty Location is none, equal
 * ones count once, and of two that differ browsers follow neither.
 * @throws ProbeFailure http_protocol
 */
export function redirectLocation({ statusCode, rawHeaders }: Pick<Hop, 'statusCode' | 'rawHeaders'>): string | null {
  if (!isRedirect(statusCode ?? 0)) return null;
  const [location = null, ...others] = new Set(fieldValues(rawHeaders, 'location').filter((value) => value !== ''));
  if (others.length > 0) throw new ProbeFailure('http_protocol', 'the redirect has two different locations');
  return location;
}

/** A response that leads elsewhere. */
export interface Redirect {
  readonly statusCode: number;
  readonly location: string;
  /** Cookies of all responses so far. */
  readonly cookies: CookieJar;
}

/**
 * The request that follows a redirect, by the rules browsers have: 303 turns into GET, 301 and 302 turn POST into GET,
 * 307 and 308 repeat the request. Towards another origin none of the caller's headers goes along.
 * @throws ProbeFailure target_not_allowed for a URL the policy refuses, http_protocol for what is no URL
 */
export function redirectedRequest(request: HttpRequest, { statusCode, location, cookies }: Redirect): HttpRequest {
  const target = refusing(() => parseHttpUrl(absoluteUrl(location, request.url)));
  const becomesGet = turnsIntoGet(request.method, statusCode);
  const isSameOrigin = target.url.origin === request.url.origin;
  const kept = isSameOrigin ? Object.entries(request.headers) : [];
  return {
    ...target,
    method: becomesGet ? 'GET' : request.method,
    body: becomesGet ? null : request.body,
    acceptEncoding: request.acceptEncoding,
    cookies: cookies.headerFor(target.url),
    headers: Object.fromEntries(kept.filter(([name]) => !becomesGet || !bodyHeaders.has(name.toLowerCase()))),
  };
}

function turnsIntoGet(method: string, statusCode: number): boolean {
  if (statusCode === 303) return method !== 'GET' && method !== 'HEAD';
  return (statusCode === 301 || statusCode === 302) && method === 'POST';
}

function absoluteUrl(location: string, base: URL): string {
  const tooLong = () =>
    new ProbeFailure('http_protocol', `the redirect contains a URL of more than ${MAX_URL_LENGTH} characters`);
  if (location.length > MAX_URL_LENGTH) throw tooLong();
  const url = locationUrl(location, base.href);
  if (url === null) throw new ProbeFailure('http_protocol', 'the redirect contains no valid URL');
  url.hash = '';
  if (url.href.length > MAX_URL_LENGTH) throw tooLong();
  return url.href;
}
