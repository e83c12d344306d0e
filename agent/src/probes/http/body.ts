import { promisify, TextDecoder } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw } from 'node:zlib';
import { ProbeFailure } from '../failure.js';
import { decoderOf, parseContentType } from './charset.js';
import { MAX_DECODED_BYTES, MAX_EXPANSION, MAX_KEPT_BYTES } from './limits.js';

const decompressors = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  rawDeflate: promisify(inflateRaw),
  br: promisify(brotliDecompress),
};

/** Content types whose bodies are text, in addition to text/*. */
const textTypes =
  /^(text\/|application\/(json|xml|javascript|ecmascript|x-javascript|x-www-form-urlencoded|yaml|x-yaml|x-ndjson|problem\+json)$)|\+(json|xml|yaml)$/;

/** The text of a body, as much of it as a result keeps. */
export interface BodyText {
  readonly text: string;
  readonly isTruncated: boolean;
}

/**
 * Undoes the content coding (RFC 9110 section 8.4.1). A coding we did not offer leaves the bytes as they are, null
 * says so. A body that was cut is decoded as far as it goes.
 * @throws ProbeFailure body_too_large, http_protocol
 */
export async function decodeContent(bytes: Buffer, coding: string | undefined): Promise<Buffer | null> {
  const name = (coding ?? 'identity').trim().toLowerCase();
  if (bytes.length === 0 || name === '' || name === 'identity') return bytes;
  const decompress = decompressorFor(name, bytes);
  if (decompress === null) return null;
  const maxOutputLength = Math.min(MAX_DECODED_BYTES, bytes.length * MAX_EXPANSION);
  const finishFlush = name === 'br' ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH;
  try {
    return await decompress(bytes, { maxOutputLength, finishFlush });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new ProbeFailure('body_too_large', `the body expands to more than ${maxOutputLength} bytes`, {
        cause: error,
      });
    }
    throw new ProbeFailure('http_protocol', `the body is not valid ${name}`, { cause: error });
  }
}

/** The text of a body by its content type; null for what is not text. A body without a type counts as text. */
export function readText(bytes: Buffer, contentType: string | undefined, maxBytes = MAX_KEPT_BYTES): BodyText | null {
  const content = parseContentType(contentType);
  if (!textTypes.test(content.type)) return null;
  const kept = bytes.subarray(0, maxBytes);
  // a stream decoder omits a character that was cut
  const decoded = decoderOf(bytes, content).decode(kept, { stream: kept.length < bytes.length });
  const whole = withoutControls(decoded);
  const text = cutToBytes(whole, maxBytes);
  return { text, isTruncated: kept.length < bytes.length || text.length < whole.length };
}

/** The whole text of a body of any type: the keyword may be anywhere. */
export function readAll(bytes: Buffer, contentType: string | undefined): string {
  return decoderOf(bytes, parseContentType(contentType)).decode(bytes);
}

function decompressorFor(name: string, bytes: Buffer) {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return decompressors.gzip;
    case 'deflate':
      // many servers send deflate without its zlib header, whose first byte names method 8
      return ((bytes[0] ?? 0) & 0x0f) === 8 ? decompressors.deflate : decompressors.rawDeflate;
    case 'br':
      return decompressors.br;
    default:
      return null;
  }
}

/** U+0000 cannot be stored, and each of the other controls takes six bytes of JSON. */
function withoutControls(text: string): string {
  return text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, '');
}

/** Cuts a text to the whole characters that fit into `maxBytes` of UTF-8. */
function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  return new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes), { stream: true });
}
