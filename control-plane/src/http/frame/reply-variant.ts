import type { IncomingMessage } from 'node:http';
import { byteLengthOf } from '../body-pieces.js';
import { type ContentEncoding, isCompressible, negotiateEncoding } from '../compression.js';
import { isKnownTag } from './conditional-reply.js';
import type { Rendered } from './idempotency.js';

/** Form in which one caller gets a response. */
export interface Variant {
  /** Content coding; null if uncompressed. */
  readonly encoding: ContentEncoding | null;
  /** True if another caller could get the response in another content coding. */
  readonly isNegotiated: boolean;
  /** ETag of this representation; null if the response has none. */
  readonly etag: string | null;
  /** True if the caller already has this version: 304. */
  readonly isKnown: boolean;
}

/** Form of a response for the request's Accept-Encoding and If-None-Match. */
export function chooseVariant(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  response: Rendered,
): Variant {
  const given = response.headers ?? {};
  const isNegotiated =
    given['Content-Encoding'] === undefined && isCompressible(response.contentType, byteLengthOf(response.body));
  const encoding = isNegotiated ? negotiateEncoding(headers['accept-encoding']) : null;
  const etag = given['ETag'] === undefined ? null : encodedTag(given['ETag'], encoding, response);
  const isRead = (method === 'GET' || method === 'HEAD') && response.status === 200;
  const isKnown = isRead && etag !== null && isKnownTag(headers['if-none-match'], etag);
  return { encoding, isNegotiated, etag, isKnown };
}

/**
 * ETag of a coding. A strong ETag promises the same bytes: each coding that is kept has its own, otherwise it is weak.
 */
function encodedTag(etag: string, encoding: ContentEncoding | null, { compress }: Rendered): string {
  if (encoding === null || etag.startsWith('W/')) return etag;
  return compress === undefined ? `W/${etag}` : `${etag.slice(0, -1)}-${encoding}"`;
}
