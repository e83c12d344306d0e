import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Allowance } from '../allowance.js';
import { BodyPieces, bodyOf, byteLengthOf, type ResponseBody } from '../body-pieces.js';
import { type ContentEncoding, compress } from '../compression.js';
import { type ApiError, messageOf } from '../errors.js';
import { detailsIn } from '../field-messages/field-messages.js';
import { JsonText } from '../json-text.js';
import type { Locale } from '../locale.js';
import { prefersPage, refusalPage } from '../pages/refusal-page.js';
import type { DataReply, RawReply, ReplyHeaders } from '../route.js';
import { envelopeTagHeaders } from './conditional-reply.js';
import type { Exchange } from './exchange.js';
import type { Rendered } from './idempotency.js';
import { chooseVariant, type Variant } from './reply-variant.js';
import type { Endpoint } from './route-table.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Content policy of a page that has none of its own: it may show text, and nothing else. */
const STRICT_PAGE_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type OutgoingHeaders = Record<string, string | number | string[]>;

/** Data in the envelope (API specification 2.1): both shapes of it at once. */
export function renderData(exchange: Exchange, reply: DataReply<unknown>): Rendered {
  const { status, data, pagination, cache, headers } = reply;
  const { requestId, allowance, account, route } = exchange;
  const isConditional = route?.definition.isConditional === true && status === 200;
  const frame = {
    request_id: requestId,
    meta: {
      request_id: requestId,
      took_ms: Math.round(exchange.tookMs),
      pagination,
      cache,
      rate_limit: allowance === null ? undefined : shownAllowance(allowance),
    },
  };
  const tagged = isConditional ? { ...envelopeTagHeaders(reply, account !== null), ...headers } : headers;
  return { status, contentType: JSON_TYPE, body: envelopeOf(data, frame), ...(tagged ? { headers: tagged } : {}) };
}

function envelopeOf(data: unknown, frame: object): ResponseBody {
  if (!(data instanceof JsonText)) return `${JSON.stringify({ data: data ?? null, ...frame })}\n`;
  const [head, tail] = [Buffer.from('{"data":'), Buffer.from(`,${JSON.stringify(frame).slice(1)}\n`)];
  return bodyOf([head, ...data.pieces, tail]);
}

/** A body as it is. */
export function renderRaw({ status, raw, headers, cookies }: RawReply): Rendered {
  const { contentType } = raw;
  const isPage = contentType.startsWith('text/html');
  const pageHeaders = isPage ? { 'Content-Security-Policy': STRICT_PAGE_POLICY, ...headers } : headers;
  return { ...raw, status, ...(pageHeaders ? { headers: pageHeaders } : {}), ...(cookies ? { cookies } : {}) };
}

/** The error envelope (API specification 7), or a page for a browser that opens an address. `publicUrl` is where the documentation is served, without a final slash. */
export function renderError(exchange: Exchange, error: ApiError, publicUrl: string): Rendered {
  const body = errorBody(error, exchange, publicUrl);
  const { allowance } = error;
  const limited =
    allowance === undefined
      ? {}
      : {
          'Retry-After': String(exchange.secondsUntil(allowance.resetsAt)),
          ...limitHeaders(allowance),
          ...windowHeader(allowance),
        };
  const headers = { ...limited, ...errorHeaders(error) };
  if (!prefersPage(exchange.request.headers.accept))
    return { status: error.status, contentType: JSON_TYPE, body, headers };
  const page = refusalPage(exchange, error);
  return renderRaw({ ...page, headers: { ...page.headers, ...headers, Vary: 'Accept, Accept-Language' } });
}

/** Remainder of a limit as `meta.rate_limit` shows it (API specification 2.1). */
function shownAllowance({ limit, remaining, resetsAt }: Allowance) {
  return { limit, remaining, reset: instantText(resetsAt) };
}

/** The headers of a limit (API specification 7). */
function limitHeaders({ limit, remaining, resetsAt }: Allowance): ReplyHeaders {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': instantText(resetsAt),
  };
}

/** The length of the window, which only refusals show. */
function windowHeader({ windowSeconds }: Allowance): ReplyHeaders {
  return windowSeconds === undefined ? {} : { 'X-RateLimit-Window': String(windowSeconds) };
}

let lastInstant = { ms: 0, text: new Date(0).toISOString() };

/** ISO 8601 text of an instant. Successive responses to a caller have the same, and each says it twice. */
function instantText(ms: number): string {
  if (lastInstant.ms !== ms) lastInstant = { ms, text: new Date(ms).toISOString() };
  return lastInstant.text;
}

/** The text of an error envelope, in a language. */
export function errorBody(
  error: ApiError,
  { requestId, locale }: { readonly requestId: string; readonly locale: Locale },
  publicUrl: string,
): string {
  const { code, details, meta } = error;
  const shown = {
    code,
    message: messageOf(error, locale),
    request_id: requestId,
    details: details && detailsIn(details, locale),
    meta,
    doc_url: `${publicUrl}/docs/errors/${code}`,
  };
  return `${JSON.stringify({ error: shown, request_id: requestId })}\n`;
}

/** Headers that an error requires in addition to its body. */
export function errorHeaders({ status, retryAfterSeconds, headers }: ApiError): ReplyHeaders {
  return {
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    ...headers,
  };
}

/** Reply to OPTIONS: the methods of the path and, for browsers, whether pages of other origins may read it. */
export function sendOptions(exchange: Exchange, endpoint: Endpoint<unknown>, isOpenToOrigins: boolean): void {
  const headers = frameHeaders(exchange);
  headers['Allow'] = endpoint.allow;
  if (isOpenToOrigins) {
    headers['Access-Control-Allow-Origin'] = '*';
    headers['Access-Control-Allow-Methods'] = 'GET, HEAD';
    headers['Access-Control-Allow-Headers'] = 'Accept-Language, Last-Event-ID, X-Request-Id';
    headers['Access-Control-Max-Age'] = 86_400;
  }
  exchange.response.writeHead(204, headers).end();
}

/** The headers of every response. */
export function frameHeaders(exchange: Exchange): OutgoingHeaders {
  const headers: OutgoingHeaders = {
    'X-Request-Id': exchange.requestId,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
  };
  if (exchange.isLocalised) {
    headers['Content-Language'] = exchange.locale;
    headers['Vary'] = 'Accept-Language';
  }
  if (exchange.route?.isOpenToOrigins === true && exchange.request.headers.authorization === undefined) {
    headers['Access-Control-Allow-Origin'] = '*';
    headers['Access-Control-Expose-Headers'] =
      'ETag, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-RateLimit-Window, X-Request-Id';
  }
  if (exchange.allowance !== null) Object.assign(headers, limitHeaders(exchange.allowance));
  if (exchange.isServerClosing) headers['Connection'] = 'close';
  return headers;
}

/**
 * Sends a response in the caller's preferred coding, or 304 if the caller already has it; node:http omits the body for
 * HEAD. Resolves once the response is handed over; one in pieces is sent as fast as the caller takes it.
 */
export async function send(exchange: Exchange, rendered: Rendered): Promise<void> {
  const variant = chooseVariant(exchange.request, rendered);
  const { encoding, isKnown } = variant;
  // HEAD too: its Content-Length is that of GET
  const body = encoding === null || isKnown ? rendered.body : await compressed(rendered, encoding);
  const headers = frameHeaders(exchange);
  if (rendered.headers !== undefined) replaceHeaders(headers, rendered.headers);
  if (rendered.cookies !== undefined) headers['Set-Cookie'] = [...rendered.cookies];
  describeVariant(headers, variant);
  if (isKnown) {
    exchange.response.writeHead(304, headers).end();
    return;
  }
  headers['Content-Type'] = rendered.contentType;
  headers['Content-Length'] = byteLengthOf(body);
  exchange.response.writeHead(rendered.status, headers);
  if (!(body instanceof BodyPieces)) exchange.endWith(body);
  else if (exchange.request.method === 'HEAD') exchange.response.end();
  else await pipeline(Readable.from(body.pieces), exchange.response);
}

function compressed(rendered: Rendered, encoding: ContentEncoding): Promise<Buffer> {
  return rendered.compress?.(encoding) ?? compress(rendered.body, encoding);
}

/** Adds the headers that caches need; a 304 has the same as the full response (RFC 9110 section 15.4.5). */
function describeVariant(headers: OutgoingHeaders, { encoding, isNegotiated, etag, isKnown }: Variant): void {
  if (etag !== null) headers['ETag'] = etag;
  if (encoding !== null && !isKnown) headers['Content-Encoding'] = encoding;
  if (!isNegotiated) return;
  headers['Vary'] = headers['Vary'] === undefined ? 'Accept-Encoding' : `${headers['Vary']}, Accept-Encoding`;
}

function replaceHeaders(headers: OutgoingHeaders, extra: ReplyHeaders): void {
  for (const [name, value] of Object.entries(extra)) {
    const same = Object.keys(headers).find((known) => known.toLowerCase() === name.toLowerCase());
    headers[same ?? name] = value;
  }
}
