import type { IncomingMessage } from 'node:http';
import type { FieldErrors } from '@vantage/shared/validation.js';
import { ApiError } from '../errors.js';

/** Parts of a request target; `search` has no question mark. */
export interface RequestTarget {
  readonly path: string;
  readonly search: string;
}

/** RFC 3986 reg-name, IPv4 or bracketed IPv6, and a port. */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]{1,255})(?::\d{0,5})?$/;

/**
 * Checks that no two programs on the way can read the head differently: exactly one well-formed Host (RFC 9112 section
 * 3.2), and at most one Authorization header; node:http would silently keep the first.
 * @throws ApiError REQUEST_BODY_INVALID
 */
export function checkHead(request: IncomingMessage): void {
  let hosts = 0;
  let credentials = 0;
  const { rawHeaders } = request;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') credentials++;
  }
  if (hosts > 1) throw headerError('host', 'conflict', 'must not be repeated');
  if (credentials > 1) throw headerError('authorization', 'conflict', 'must not be repeated');
  const { host } = request.headers;
  if (host === undefined) {
    if (request.httpVersion === '1.1') throw headerError('host', 'required', 'is required');
  } else if (!HOST.test(host)) throw headerError('host', 'format', 'must be a host and an optional port');
}

/**
 * Splits the target of the request line: a path (origin-form) or a whole URL (absolute-form, RFC 9112 section 3.2.2).
 */
export function splitTarget(target: string): RequestTarget {
  if (target.startsWith('/')) return splitPath(target);
  const url = URL.canParse(target) ? new URL(target) : null;
  return url === null ? { path: target, search: '' } : { path: url.pathname, search: url.search.slice(1) };
}

/**
 * Path without slashes at its end, if it is outside the API: a person, or a script that joins texts, may add one to the address of a
 * page or a check-in. Below `/v1` a path is exact.
 */
export function withoutFinalSlashes(path: string): string {
  if (path.startsWith('/v1/')) return path;
  let { length } = path;
  while (path[length - 1] === '/') length -= 1;
  return path.slice(0, length);
}

function splitPath(target: string): RequestTarget {
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, search: '' } : { path: target.slice(0, mark), search: target.slice(mark + 1) };
}

function headerError(name: string, code: FieldErrors[string][number]['code'], message: string): ApiError {
  return new ApiError('REQUEST_BODY_INVALID', { details: { [name]: [{ code, message }] } });
}
