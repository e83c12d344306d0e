import type { SecureContext } from 'node:tls';
import { parseHttpUrl } from '@vantage/shared/target-policy/url.js';
import type { KnownNames } from '../../net/known-names.js';
import type { ProbeContext } from '../engine.js';
import { ProbeFailure, refusing } from '../failure.js';
import { decodeContent, readAll } from './body.js';
import { CookieJar } from './cookie-jar.js';
import { Hop } from './hop.js';
import { jsonExcess } from './json-size.js';
import { redirectedRequest, redirectLocation } from './redirect.js';
import { type HttpRequest, usualCodings } from './request.js';
import { visit } from './visit.js';

const MAX_REDIRECTS = 5;

/** A document that is asked for. */
export interface JsonRequest {
  readonly url: string;
  /** Request headers in addition to the defaults; not sent after a redirect to another origin. */
  readonly headers: Readonly<Record<string, string>>;
  /** Shared by all requests of a run; every address it gives has passed the policy. */
  readonly names: KnownNames;
  readonly secureContext: SecureContext;
}

/** Response to the request. */
export interface JsonAnswer {
  readonly statusCode: number;
  readonly contentType: string;
  /** Host that gave the response, after redirects, with its port where that is not the usual one. */
  readonly host: string;
  /** Header Retry-After as it came; null without one. */
  readonly retryAfter: string | null;
  /** Undefined where the body is no JSON, or, with a status other than 200, cannot be read. */
  readonly value: unknown;
}

/**
 * A JSON document by HTTP(S), within the limits of HTTP probes: certificates are verified, each hop passes the policy,
 * five redirects, 1 MiB on the wire, and of JSON 256 KiB.
 * @throws ProbeFailure; or the signal's reason
 */
export async function fetchJson(
  { url, headers, names, secureContext }: JsonRequest,
  { signal, clock, userAgent }: Pick<ProbeContext, 'signal' | 'clock' | 'userAgent'>,
): Promise<JsonAnswer> {
  const first = refusing(() => parseHttpUrl(url));
  let request: HttpRequest = {
    ...first,
    method: 'GET',
    headers,
    body: null,
    acceptEncoding: usualCodings,
    cookies: '',
  };
  const cookies = new CookieJar(clock);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const hop = new Hop(request.url.href);
    const location = () => redirectLocation(hop);
    const common = { signal, clock, userAgent, names, secureContext, httpVersion: 'auto', verifiesTls: true } as const;
    await visit(request, hop, { ...common, wantsBody: () => location() === null });
    const next = location();
    if (next === null) return readAnswer(hop);
    cookies.store(request.url, hop.rawHeaders);
    request = redirectedRequest(request, { statusCode: hop.statusCode ?? 0, location: next, cookies });
  }
  throw new ProbeFailure('too_many_redirects', `more than ${MAX_REDIRECTS} redirects`);
}

async function readAnswer(hop: Hop): Promise<JsonAnswer> {
  const { url, headers } = hop;
  const statusCode = hop.statusCode ?? 0;
  const contentType = headers['content-type'] ?? '';
  const retryAfter = headers['retry-after'] ?? null;
  const value = await valueOf(hop).catch((error: unknown) => {
    // any other status says enough by itself: the page of a refusal may be large
    if (statusCode === 200 || !(error instanceof ProbeFailure)) throw error;
  });
  return { statusCode, contentType, host: new URL(url).host, retryAfter, value };
}

/** @throws ProbeFailure body_too_large, http_protocol */
async function valueOf({ headers, contentType, body, isCut }: Hop): Promise<unknown> {
  const decoded = await decodeContent(body.whole(), headers['content-encoding']);
  if (isCut || decoded?.isCut) throw new ProbeFailure('body_too_large', 'the document is larger than 1 MiB');
  const text = decoded === null ? '' : readAll(decoded.bytes, contentType);
  const excess = jsonExcess(text);
  if (excess !== null) throw new ProbeFailure('body_too_large', `the document has ${excess}`);
  return parseJson(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
