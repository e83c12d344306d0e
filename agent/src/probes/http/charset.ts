import { TextDecoder } from 'node:util';
import { trimBlanks } from '@vantage/shared/headers/trim-blanks.js';
import { decodeWindows1252 } from '../windows-1252.js';
import { encodingInHtml, encodingInXml } from './declared-encoding.js';
import { encodingNamed } from './encoding-labels.js';

/** Characters of a Content-Type header that are read: media types have fewer than a hundred. */
const MAX_HEADER_LENGTH = 4096;

/** Parsed Content-Type header. */
export interface ContentType {
  /** Lower case, for example `text/html`; null where there is none that is valid. */
  readonly type: string | null;
  /** Name of the encoding in the Encoding standard; null where there is none that is known. */
  readonly charset: string | null;
}

/** Decoder of a text, or of its beginning (`stream`), whose last character may be cut. */
export interface TextReader {
  decode(bytes: Uint8Array, options?: { readonly stream?: boolean }): string;
}

/**
 * The decoder of a text by the order browsers go by (Encoding and HTML standards): byte order mark, `charset` of the
 * content type if it is known, what an HTML or XML document says of itself, UTF-8. A mark is no part of the text.
 */
export function decoderOf(bytes: Buffer, { type, charset }: ContentType): TextReader {
  const encoding = markOf(bytes) ?? charset ?? declaredIn(bytes, type) ?? 'utf-8';
  return encoding === 'windows-1252' ? { decode: decodeWindows1252 } : new TextDecoder(encoding);
}

/**
 * Reads a Content-Type header, its lines joined by comma (Fetch standard, "extract a MIME type"): the last media type
 * counts, and the charset before it if both have the same type. More lenient than MIME Sniffing section 4.4 in quotes of
 * either kind, and in blanks around `=`.
 */
export function parseContentType(header: string | undefined): ContentType {
  let found: ContentType = { type: null, charset: null };
  for (const value of splitOutsideQuotes((header ?? '').slice(0, MAX_HEADER_LENGTH), ',')) {
    const media = parseMediaType(value);
    if (media === null) continue;
    found = media.type === found.type ? { ...media, charset: media.charset ?? found.charset } : media;
  }
  return found;
}

function parseMediaType(value: string): ContentType | null {
  const [essence = '', ...parameters] = splitOutsideQuotes(value, ';').map(trimBlanks);
  const type = essence.toLowerCase();
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+$/.test(type) || type === '*/*') return null;
  const charset = parameters.map(charsetIn).find((label) => label !== '');
  return { type, charset: charset === undefined ? null : encodingNamed(charset) };
}

/** Value of a parameter if it is `charset`, without quotes; empty for any other. */
function charsetIn(parameter: string): string {
  const equals = parameter.indexOf('=');
  if (trimBlanks(parameter.slice(0, Math.max(0, equals))).toLowerCase() !== 'charset') return '';
  const value = trimBlanks(parameter.slice(equals + 1));
  const [, quoted] = /^"((?:[^"\\]|\\.)*)/.exec(value) ?? [];
  return (quoted?.replace(/\\(.)/g, '$1') ?? value).replace(/^'(.*)'$/, '$1');
}

/** Parts of a text between separators that are not within double quotes (RFC 9110 section 5.6.4). */
function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    if (isQuoted && text[at] === '\\') at += 1;
    else if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === separator && !isQuoted) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}

function markOf(bytes: Buffer): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : null;
}

function declaredIn(bytes: Buffer, type: string | null): string | null {
  if (type === 'text/html') return encodingInHtml(bytes) ?? encodingInXml(bytes);
  if (type === 'application/xhtml+xml') return encodingInXml(bytes) ?? encodingInHtml(bytes);
  if (type !== null) return /[/+]xml$/.test(type) ? encodingInXml(bytes) : null;
  // browsers look whether a document without a type begins like HTML or XML (MIME Sniffing section 7.1)
  return /^\s*</.test(bytes.toString('latin1', 0, 512)) ? (encodingInHtml(bytes) ?? encodingInXml(bytes)) : null;
}
