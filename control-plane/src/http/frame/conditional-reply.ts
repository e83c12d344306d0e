import { createHash } from 'node:crypto';
import { type Compress, compressOnce } from '../compression.js';
import type { DataReply, RawReply, ReplyHeaders } from '../route.js';

// A reply with an ETag (RFC 9110 section 8.8.3) becomes a 304 if If-None-Match says that the caller has it. The
// frame decides that when it sends, for every handler that sets the header.

/** Content that stays the same while the program runs. */
export interface StaticContent {
  readonly contentType: string;
  readonly body: string | Buffer;
  /** Strong ETag of the uncompressed body. */
  readonly etag: string;
  readonly compress: Compress;
}

export function staticContent(contentType: string, body: string | Buffer): StaticContent {
  return { contentType, body, etag: `"${digestOf(body)}"`, compress: compressOnce(body) };
}

/** Reply 200 with the content; caches revalidate it at every use. */
export function staticReply({ contentType, body, etag, compress }: StaticContent): RawReply {
  return { status: 200, raw: { contentType, body, compress }, headers: { ETag: etag, 'Cache-Control': 'no-cache' } };
}

/**
 * Headers of an envelope that callers may cache: a weak ETag over everything in it except the figures of the request.
 * Data of an account is for its private caches only.
 */
export function envelopeTagHeaders({ data, pagination }: DataReply<unknown>, isPrivate: boolean): ReplyHeaders {
  return {
    ETag: `W/"${digestOf(JSON.stringify([data, pagination]))}"`,
    'Cache-Control': isPrivate ? 'private, no-cache' : 'no-cache',
  };
}

/** True if an If-None-Match header names the tag, compared weakly (RFC 9110 section 13.1.2). */
export function isKnownTag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((entry) => entry.trim() === '*' || opaqueTag(entry.trim()) === opaqueTag(etag));
}

function opaqueTag(etag: string): string {
  return etag.replace(/^W\//, '');
}

function digestOf(body: string | Buffer): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, 27);
}
