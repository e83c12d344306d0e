import { OutboundError } from './errors.js';
import type { Outbound, OutboundRequest, OutboundResponse } from './outbound.js';

/** Limits of the requests of one library. */
export interface FetchLimits extends Pick<OutboundRequest, 'deadlineMs' | 'maxResponseBytes' | 'secrets'> {
  /** Origin that is the operator's own by configuration: the target policy does not judge it. */
  readonly ownOrigin: string;
}

/** Request as libraries hand it to `fetch`. */
interface FetchRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Function in place of `fetch`, for libraries that take one. Redirects are returned as responses. */
export type OutboundFetch = (url: string, request: FetchRequest) => Promise<Response>;

/**
 * Makes a `fetch` whose requests go through the outbound client, with its deadline and its greatest size of responses. It
 * throws OutboundError.
 */
export function outboundFetch(outbound: Pick<Outbound, 'send'>, { ownOrigin, ...limits }: FetchLimits): OutboundFetch {
  return async (url, { method, headers, body, signal }) => {
    const { origin } = new URL(url);
    const response = await outbound.send({
      ...limits,
      method: methodOf(method),
      url,
      headers,
      ...(body === undefined || body === null ? {} : { body: bodyOf(body) }),
      ...(signal === undefined ? {} : { signal }),
      isExempt: origin === ownOrigin,
    });
    return responseOf(response, origin);
  };
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const;

function methodOf(text: string): (typeof methods)[number] {
  const method = methods.find((known) => known === text);
  if (method === undefined) throw new TypeError(`no request has the method "${text}"`);
  return method;
}

function bodyOf(body: unknown): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('a body is a string, bytes or URLSearchParams');
}

function responseOf({ status, headers, body, isComplete }: OutboundResponse, origin: string): Response {
  if (!isComplete) throw new OutboundError('protocol', `${origin}: the response is too large`, true);
  if (status < 200 || status > 599) throw new OutboundError('protocol', `${origin}: has no such status`, true);
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((text): [string, string] => [name, text]),
  );
  const isEmpty = status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : new Uint8Array(body), { status, headers: entries });
}
