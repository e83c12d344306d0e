import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import { acceptHeader } from './accept-header.js';
import { BodyPieces, byteLengthOf, type ResponseBody } from './body-pieces.js';

/** Content codings we speak (RFC 9110 section 8.4.1), the better one first. */
const contentEncodings = ['br', 'gzip'] as const;
export type ContentEncoding = (typeof contentEncodings)[number];

/** Compresses one given body. */
export type Compress = (encoding: ContentEncoding) => Promise<Buffer>;

/** Size in bytes up to which bodies are sent uncompressed: at best, two packets become one. */
const COMPRESS_ABOVE_BYTES = 2_048;

/**
 * True if a body is worth compressing. Secrets next to a caller's own text are safe here: no third-party page can make
 * a browser send the Authorization header that such a response requires, and a BREACH attack needs that.
 */
export function isCompressible(contentType: string, bodyBytes: number): boolean {
  if (bodyBytes <= COMPRESS_ABOVE_BYTES) return false;
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (mediaType === 'text/event-stream') return false;
  return /^text\/|^application\/(?:json|javascript)$|\+(?:json|xml)$/.test(mediaType);
}

/**
 * Content coding for an Accept-Encoding header (RFC 9110 section 12.5.3): the supported one with the highest quality;
 * null if there is none, or the caller prefers the uncompressed body.
 */
export function negotiateEncoding(acceptEncoding: string | undefined): ContentEncoding | null {
  const header = acceptHeader(acceptEncoding);
  if (header === undefined) return null;
  // RFC 9110 section 8.4.1.3: an alias of gzip, which the library does not support
  const headers = { 'accept-encoding': header.replace(/\bx-gzip\b/gi, 'gzip') };
  const negotiator: ByPreference = new Negotiator({ headers });
  const [best] = negotiator.encodings([...contentEncodings, 'identity'], { preferred: contentEncodings });
  return contentEncodings.find((encoding) => encoding === best) ?? null;
}

/** Declared here because @types/negotiator has no second parameter. */
interface ByPreference {
  encodings(available: readonly string[], options: { readonly preferred: readonly string[] }): string[];
}

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** Compresses in the thread pool, at levels that cost about what sending the difference would. */
export function compress(body: ResponseBody, encoding: ContentEncoding): Promise<Buffer> {
  const gzipOptions = { level: 6 };
  const brotliOptions = {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 4,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: byteLengthOf(body),
    },
  };
  if (body instanceof BodyPieces) {
    const stream = encoding === 'gzip' ? createGzip(gzipOptions) : createBrotliCompress(brotliOptions);
    return buffer(Readable.from(body.pieces).pipe(stream));
  }
  return encoding === 'gzip' ? deflate(body, gzipOptions) : brotli(body, brotliOptions);
}

/** Compresses a constant body once for each coding, and keeps the results. */
export function compressOnce(body: string | Buffer): Compress {
  const kept = new Map<ContentEncoding, Promise<Buffer>>();
  return (encoding) => {
    const compressed = kept.get(encoding) ?? compress(body, encoding);
    kept.set(encoding, compressed);
    return compressed;
  };
}
