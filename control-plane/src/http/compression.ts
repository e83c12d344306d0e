import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { qualityOf } from './quality.js';

/** Content codings we speak (RFC 9110 section 8.4.1), the better one first. */
const contentEncodings = ['br', 'gzip'] as const;
export type ContentEncoding = (typeof contentEncodings)[number];

/** Compresses one body, which it knows. */
export type Compress = (encoding: ContentEncoding) => Promise<Buffer>;

/** Smaller bodies are sent as they are: two packets become one at best. */
const COMPRESS_ABOVE_BYTES = 2_048;

/** More entries than anybody sends; what follows is not looked at. */
const MAX_CODINGS = 32;

/**
 * Whether a body is worth compressing. Secrets beside a caller's own text are no concern here: nobody's page can make a
 * browser send the Authorization header that such an answer takes (BREACH needs that).
 */
export function isCompressible(contentType: string, bodyBytes: number): boolean {
  if (bodyBytes <= COMPRESS_ABOVE_BYTES) return false;
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (mediaType === 'text/event-stream') return false;
  return /^text\/|^application\/(?:json|javascript)$|\+(?:json|xml)$/.test(mediaType);
}

/**
 * The coding for an Accept-Encoding header (RFC 9110 section 12.5.3): of ours the one with the highest quality; null,
 * none, when there is none or the caller likes the plain body better.
 */
export function negotiateEncoding(acceptEncoding: string | undefined): ContentEncoding | null {
  if (acceptEncoding === undefined) return null;
  const qualities = new Map<string, number>();
  for (const entry of acceptEncoding.split(',', MAX_CODINGS)) {
    const [coding = '', ...parameters] = entry.split(';');
    qualities.set(codingName(coding), qualityOf(parameters));
  }
  const qualityFor = (coding: ContentEncoding) => qualities.get(coding) ?? qualities.get('*') ?? 0;
  const best = contentEncodings.reduce((a, b) => (qualityFor(b) > qualityFor(a) ? b : a));
  const isAcceptable = qualityFor(best) > 0 && qualityFor(best) >= (qualities.get('identity') ?? 0);
  return isAcceptable ? best : null;
}

/** In lower case; RFC 9110 section 8.4.1.3 has the second name of gzip. */
function codingName(text: string): string {
  const name = text.trim().toLowerCase();
  return name === 'x-gzip' ? 'gzip' : name;
}

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** Compresses in the thread pool, at levels that cost about what sending the difference would. */
export function compress(body: string | Buffer, encoding: ContentEncoding): Promise<Buffer> {
  if (encoding === 'gzip') return deflate(body, { level: 6 });
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 4,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(body),
  };
  return brotli(body, { params });
}

/** Compresses a body that stays the same once for each coding, whoever asks, and keeps what came of it. */
export function compressOnce(body: string | Buffer): Compress {
  const kept = new Map<ContentEncoding, Promise<Buffer>>();
  return (encoding) => {
    const compressed = kept.get(encoding) ?? compress(body, encoding);
    kept.set(encoding, compressed);
    return compressed;
  };
}
