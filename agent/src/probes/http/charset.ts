import { TextDecoder } from 'node:util';

/** Bytes of a document in which its own word on its encoding is looked for (HTML standard, 13.2.3.2). */
const PRESCAN_BYTES = 1024;

/**
 * The decoder of a text by the order browsers go by (Encoding and HTML standards): byte order mark, `charset` of the
 * content type, what an HTML or XML document says of itself, UTF-8. A mark is no part of the text.
 */
export function decoderOf(bytes: Buffer, { type, charset }: ContentType): TextDecoder {
  return decoderNamed(markOf(bytes) ?? charset ?? declaredIn(bytes, type));
}

/** Parsed Content-Type header. */
export interface ContentType {
  /** Lower case, for example `text/html`; `text/plain` where there is no header. */
  readonly type: string;
  readonly charset: string | null;
}

/** Reads a Content-Type header (RFC 9110 section 8.3); names are in lower case. */
export function parseContentType(header: string | undefined): ContentType {
  const [type = '', ...parameters] = (header ?? 'text/plain')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return { type, charset: charset?.replace(/^"(.*)"$/, '$1') ?? null };
}

function markOf(bytes: Buffer): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : null;
}

function declaredIn(bytes: Buffer, type: string): string | null {
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml';
  if (!isHtml && !/[/+]xml$/.test(type)) return null;
  const start = bytes.toString('latin1', 0, PRESCAN_BYTES);
  const declaration = /^<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)/.exec(start);
  const meta = isHtml ? /<meta\s[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(start) : null;
  const name = (declaration ?? meta)?.[1]?.toLowerCase() ?? null;
  // the declaration itself is readable, so the charset is a superset of ASCII, which UTF-16 is not
  return name?.startsWith('utf-16') ? 'utf-8' : name;
}

function decoderNamed(name: string | null): TextDecoder {
  try {
    return new TextDecoder(name ?? 'utf-8');
  } catch {
    return new TextDecoder();
  }
}
