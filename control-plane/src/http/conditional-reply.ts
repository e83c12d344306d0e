import { createHash } from 'node:crypto';
import type { RawReply, RouteRequest } from './route.js';

/** Something that stays the same while the program runs, with a strong ETag (RFC 9110 section 8.8.3). */
export interface StaticContent {
  readonly contentType: string;
  readonly body: string | Buffer;
  readonly etag: string;
}

export function staticContent(contentType: string, body: string | Buffer): StaticContent {
  const digest = createHash('sha256').update(body).digest('base64url');
  return { contentType, body, etag: `"${digest.slice(0, 27)}"` };
}

/** 200 with the content, or 304 when If-None-Match says that the caller has it. Asked again at every use. */
export function conditionalReply(
  request: Pick<RouteRequest<unknown, unknown, unknown>, 'header'>,
  { contentType, body, etag }: StaticContent,
): RawReply {
  const headers = { ETag: etag, 'Cache-Control': 'no-cache' };
  const known = request.header('if-none-match') ?? '';
  const isKnown = known.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
  return isKnown
    ? { status: 304, raw: { contentType, body: '' }, headers }
    : { status: 200, raw: { contentType, body }, headers };
}
