import { parseHttpUrl } from '@vantage/shared/target-policy/url.js';
import { ProbeFailure, refusing } from '../failure.js';
import { MAX_URL_LENGTH } from './limits.js';
import type { HttpRequest } from './request.js';

/** Headers that speak of a body, dropped with it (Fetch standard, HTTP-redirect fetch). */
const bodyHeaders = new Set(['content-encoding', 'content-language', 'content-location', 'content-type']);

/** Target of a redirect, as the server wrote it; null when the response is no redirect. */
export function redirectLocation(statusCode: number, headers: Readonly<Record<string, string>>): string | null {
  const isRedirect =
    statusCode === 301 || statusCode === 302 || statusCode === 303 || statusCode === 307 || statusCode === 308;
  return isRedirect ? (headers['location'] ?? null) : null;
}

/**
 * The request that follows a redirect, by the rules browsers have: 303 turns into GET, 301 and 302 turn POST into GET,
 * 307 and 308 repeat the request. Towards another origin none of the caller's headers goes along.
 * @throws ProbeFailure target_not_allowed for a URL the policy refuses, http_protocol for what is no URL
 */
export function redirectedRequest(request: HttpRequest, statusCode: number, location: string): HttpRequest {
  const target = refusing(() => parseHttpUrl(absoluteUrl(location, request.url)));
  const becomesGet = turnsIntoGet(request.method, statusCode);
  const isSameOrigin = target.url.origin === request.url.origin;
  const kept = isSameOrigin ? Object.entries(request.headers) : [];
  return {
    ...target,
    method: becomesGet ? 'GET' : request.method,
    body: becomesGet ? null : request.body,
    acceptEncoding: request.acceptEncoding,
    headers: Object.fromEntries(kept.filter(([name]) => !becomesGet || !bodyHeaders.has(name.toLowerCase()))),
  };
}

function turnsIntoGet(method: string, statusCode: number): boolean {
  if (statusCode === 303) return method !== 'GET' && method !== 'HEAD';
  return (statusCode === 301 || statusCode === 302) && method === 'POST';
}

/** Header bytes arrive as Latin-1; servers write Location in UTF-8, and the URL parser expects characters. */
function absoluteUrl(location: string, base: URL): string {
  const text = Buffer.from(location, 'latin1').toString('utf8');
  const url = URL.canParse(text, base.href) ? new URL(text, base.href) : null;
  if (url === null) throw new ProbeFailure('http_protocol', 'the redirect contains no valid URL');
  url.hash = '';
  if (url.href.length > MAX_URL_LENGTH)
    throw new ProbeFailure('http_protocol', `the redirect contains a URL of more than ${MAX_URL_LENGTH} characters`);
  return url.href;
}
