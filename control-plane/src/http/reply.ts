import { errorTable } from './error-table.js';
import type { ApiError } from './errors.js';
import type { Exchange } from './exchange.js';
import type { DataReply, RawReply, ReplyHeaders } from './route.js';
import type { Endpoint } from './route-table.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** A page that brings no policy of its own may show text, and nothing else. */
const STRICT_PAGE_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type OutgoingHeaders = Record<string, string | number>;

/** Sends data in the envelope (API specification 2.1): both shapes of it at once. */
export function sendData(exchange: Exchange, { status, data, pagination, headers }: DataReply<unknown>): void {
  const envelope = {
    data: data ?? null,
    request_id: exchange.requestId,
    meta: { request_id: exchange.requestId, took_ms: Math.round(exchange.tookMs), pagination },
  };
  send(exchange, status, JSON_TYPE, JSON.stringify(envelope), headers);
}

/** Sends a body as it is. */
export function sendRaw(exchange: Exchange, { status, raw, headers }: RawReply): void {
  const isPage = raw.contentType.startsWith('text/html');
  const pageHeaders = isPage ? { 'Content-Security-Policy': STRICT_PAGE_POLICY, ...headers } : headers;
  send(exchange, status, raw.contentType, raw.body, pageHeaders);
}

/** Sends the error envelope (API specification 7). `publicUrl` is where the documentation is served, without a final slash. */
export function sendError(exchange: Exchange, error: ApiError, publicUrl: string): void {
  const body = errorBody(error, exchange.requestId, errorTable[error.code].messages[exchange.locale], publicUrl);
  send(exchange, error.status, JSON_TYPE, body, errorHeaders(error));
}

/** The text of an error envelope. */
export function errorBody(error: ApiError, requestId: string, message: string, publicUrl: string): string {
  const { code, details } = error;
  const docUrl = `${publicUrl}/docs/errors/${code}`;
  return JSON.stringify({
    error: { code, message, request_id: requestId, details, doc_url: docUrl },
    request_id: requestId,
  });
}

/** What the status of an error asks for beside its body. */
export function errorHeaders({ status, retryAfterSeconds, headers }: ApiError): ReplyHeaders {
  return {
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    ...headers,
  };
}

/** Answers OPTIONS: what the path takes, and to browsers that other origins may read it where that is so. */
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
    headers['Access-Control-Expose-Headers'] = 'X-Request-Id, Retry-After';
  }
  if (exchange.isServerClosing) headers['Connection'] = 'close';
  return headers;
}

/** node:http leaves the body out for HEAD and 304. */
function send(exchange: Exchange, status: number, type: string, body: string | Buffer, extra?: ReplyHeaders): void {
  const headers = frameHeaders(exchange);
  if (status !== 304) {
    headers['Content-Type'] = type;
    headers['Content-Length'] = Buffer.byteLength(body);
  }
  if (extra !== undefined) replaceHeaders(headers, extra);
  exchange.response.writeHead(status, headers).end(body);
}

function replaceHeaders(headers: OutgoingHeaders, extra: ReplyHeaders): void {
  for (const [name, value] of Object.entries(extra)) {
    const same = Object.keys(headers).find((known) => known.toLowerCase() === name.toLowerCase());
    headers[same ?? name] = value;
  }
}
