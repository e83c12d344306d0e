import type { IncomingMessage } from 'node:http';
import { type ContentEncoding, isCompressible, negotiateEncoding } from './compression.js';
import { isKnownTag } from './conditional-reply.js';
import type { Rendered } from './idempotency.js';

/** How one caller gets a response. */
export interface Variant {
  /** The content coding; null: as it is. */
  readonly encoding: ContentEncoding | null;
  /** Whether another caller could get it in another coding. */
  readonly isNegotiated: boolean;
  /** Of this very form; null where the response has none. */
  readonly etag: string | null;
  /** The caller has it already: 304. */
  readonly isKnown: boolean;
}

/** Decides what the request's Accept-Encoding and If-None-Match make of a response. */
export function chooseVariant(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  response: Rendered,
): Variant {
  const given = response.headers ?? {};
  const isNegotiated =
    given['Content-Encoding'] === undefined && isCompressible(response.contentType, Buffer.byteLength(response.body));
  const encoding = isNegotiated ? negotiateEncoding(headers['accept-encoding']) : null;
  const etag = given['ETag'] === undefined ? null : encodedTag(given['ETag'], encoding, response);
  const isRead = (method === 'GET' || method === 'HEAD') && response.status === 200;
  const isKnown = isRead && etag !== null && isKnownTag(headers['if-none-match'], etag);
  return { encoding, isNegotiated, etag, isKnown };
}

/** A strong ETag promises the same bytes: each coding has its own where they are kept, else it becomes a weak one. */
function encodedTag(etag: string, encoding: ContentEncoding | null, { compress }: Rendered): string {
  if (encoding === null || etag.startsWith('W/')) return etag;
  return compress === undefined ? `W/${etag}` : `${etag.slice(0, -1)}-${encoding}"`;
}
