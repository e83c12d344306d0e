import { TextDecoder } from 'node:util';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { contentCodingsIn } from '@vantage/shared/headers/content-codings.js';
import { ProbeFailure } from '../failure.js';
import { BodyBytes } from './body-bytes.js';
import { decoderOf, parseContentType } from './charset.js';
import { MAX_CODINGS, MAX_DECODED_BYTES, MAX_KEPT_BYTES } from './limits.js';

/** Characters of Content-Encoding that are read. */
const MAX_CODINGS_LENGTH = 256;
/** Bytes that are decompressed in one step. */
const CHUNK_BYTES = 64 * 1024;
// the end of a body that was cut is missing
const deflated = { chunkSize: CHUNK_BYTES, finishFlush: constants.Z_SYNC_FLUSH };
const brotli = { chunkSize: CHUNK_BYTES, finishFlush: constants.BROTLI_OPERATION_FLUSH };

/** Content types whose bodies are text, in addition to text/*. */
const textTypes =
  /^(text\/|application\/(json|xml|javascript|ecmascript|x-javascript|x-www-form-urlencoded|yaml|x-yaml|x-ndjson|problem\+json)$)|\+(json|xml|yaml)$/;

/** The text of a body, as much of it as a result keeps. */
export interface BodyText {
  readonly text: string;
  readonly isTruncated: boolean;
}

/** A body without its content codings. */
export interface DecodedBody {
  readonly bytes: Buffer;
  /** True if there was more than is read of a body. */
  readonly isCut: boolean;
}

/**
 * Undoes the content codings, the last one first (RFC 9110 section 8.4). What exceeds the part that is read of a body is
 * not decompressed: a body is cut there, as it is without a coding. A body that was cut before is decoded as far as it goes.
 * Null if a coding was not offered.
 * @throws ProbeFailure http_protocol
 */
export async function decodeContent(bytes: Buffer, contentEncoding: string | undefined): Promise<DecodedBody | null> {
  // five names have fewer characters, and a hostile list is not worth the time
  if ((contentEncoding?.length ?? 0) > MAX_CODINGS_LENGTH) return null;
  const codings = contentCodingsIn(contentEncoding);
  if (codings.length > MAX_CODINGS || !codings.every(isOffered)) return null;
  let body: DecodedBody = { bytes, isCut: false };
  for (const name of codings.reverse()) {
    const decoded = await decompress(body.bytes, name);
    body = { bytes: decoded.bytes, isCut: body.isCut || decoded.isCut };
  }
  return body;
}

/** The text of a body by its content type; null for what is not text. A body without a valid type counts as text. */
export function readText(bytes: Buffer, contentType: string | undefined, maxBytes = MAX_KEPT_BYTES): BodyText | null {
  const content = parseContentType(contentType);
  if (content.type !== null && !textTypes.test(content.type)) return null;
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

type Coding = keyof typeof decompressors;

const decompressors = {
  gzip: () => createGunzip(deflated),
  'x-gzip': () => createGunzip(deflated),
  // many servers send deflate without its zlib header, whose first byte names method 8
  deflate: (bytes: Buffer) => (((bytes[0] ?? 0) & 0x0f) === 8 ? createInflate(deflated) : createInflateRaw(deflated)),
  br: () => createBrotliDecompress(brotli),
};

function isOffered(name: string): name is Coding {
  return Object.hasOwn(decompressors, name);
}

async function decompress(bytes: Buffer, name: Coding): Promise<DecodedBody> {
  if (bytes.length === 0) return { bytes, isCut: false };
  const stream = decompressors[name](bytes);
  const decoded = new BodyBytes(MAX_DECODED_BYTES);
  let isCut = false;
  stream.end(bytes);
  try {
    for await (const piece of stream) {
      isCut = !decoded.add(piece as Buffer);
      // which ends the stream
      if (isCut) break;
    }
  } catch (error) {
    throw new ProbeFailure('http_protocol', `the body is not valid ${name}`, { cause: error });
  }
  return { bytes: decoded.whole(), isCut };
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
