import { encodingDeclared } from './encoding-labels.js';

/** Bytes in which a declaration of HTML is looked for at most; browsers look in 1024, and further in the head. */
const MAX_HEAD_BYTES = 64 * 1024;
const MIN_HEAD_BYTES = 1024;
/** Elements `meta` that are read: a label that is not known takes 20 µs (measured 2026-11). */
const MAX_METAS = 200;
/** Bytes in which an XML declaration ends. */
const MAX_XML_BYTES = 1024;

/** Elements whose content is text up to their end tag, whatever it looks like (HTML standard, 13.1.2). */
const textElements = new Set(['script', 'style', 'title', 'textarea']);
const tag = /<(\/?[a-z][^\t\n\f\r />]*)/y;
/** An attribute, or the end of a tag; every part ends where the next one may begin, so that no text takes long. */
const attribute =
  /[\t\n\f\r /]*(?:>|([^\t\n\f\r />][^\t\n\f\r />=]*)[\t\n\f\r ]*(?:=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >"'][^\t\n\f\r >]*)?))?)/y;
const charsetInContent = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"'][^\t\n\f\r ;]*))/i;

/**
 * Encoding that a `meta` element in the head of an HTML document declares; null if none is known (HTML standard, "prescan
 * a byte stream to determine its encoding"). Comments, and text that only looks like an element, declare nothing.
 */
export function encodingInHtml(bytes: Buffer): string | null {
  const text = bytes.toString('latin1', 0, MAX_HEAD_BYTES).toLowerCase();
  let metasLeft = MAX_METAS;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    const element = elementAt(text, at);
    if (element === null) {
      at = endOfMarkup(text, at);
    } else {
      const isMeta = element.name === 'meta';
      const found = isMeta ? encodingOfMeta(element.attributes) : null;
      if (isMeta) metasLeft -= 1;
      if (found !== null || metasLeft === 0) return found;
      if (element.name === 'body' && at >= MIN_HEAD_BYTES) return null;
      at = textElements.has(element.name) ? text.indexOf(`</${element.name}`, element.end) : element.end;
    }
    if (at < 0) return null;
  }
  return null;
}

/** Encoding of an XML declaration (XML 1.0 section 4.3.3); null if none is known. */
export function encodingInXml(bytes: Buffer): string | null {
  const text = bytes.toString('latin1', 0, MAX_XML_BYTES);
  if (text.startsWith('<\0?\0x\0')) return 'utf-16le';
  if (text.startsWith('\0<\0?\0x')) return 'utf-16be';
  const [, label] = /^<\?xml[^>]*?encoding\s*=\s*["']\s*([\w.:-]+)/.exec(text) ?? [];
  return label === undefined ? null : encodingDeclared(label);
}

interface Element {
  /** With `/` in front for an end tag. */
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Position behind the tag; -1: it does not end. */
  readonly end: number;
}

/** The tag that begins at `<`, an end tag as well; null if there is none. Of two attributes of one name the first counts. */
function elementAt(text: string, at: number): Element | null {
  tag.lastIndex = at;
  const [, name] = tag.exec(text) ?? [];
  if (name === undefined) return null;
  const attributes = new Map<string, string>();
  attribute.lastIndex = tag.lastIndex;
  for (let found = attribute.exec(text); found !== null; found = attribute.exec(text)) {
    const [, key, ...values] = found;
    if (key === undefined) return { name, attributes, end: attribute.lastIndex };
    if (!attributes.has(key)) attributes.set(key, values.find((value) => value !== undefined) ?? '');
  }
  return { name, attributes, end: -1 };
}

/** Position behind a comment, a declaration, or a `<` that begins nothing; -1: it does not end. */
function endOfMarkup(text: string, at: number): number {
  // the two hyphens that end a comment may be those that begin it
  if (text.startsWith('<!--', at)) return text.indexOf('-->', at + 2);
  return /[!/?]/.test(text[at + 1] ?? '') ? text.indexOf('>', at) : at + 1;
}

function encodingOfMeta(attributes: Element['attributes']): string | null {
  const label = attributes.get('charset') ?? charsetOfPragma(attributes);
  if (label === null) return null;
  return label.trim() === 'x-user-defined' ? 'windows-1252' : encodingDeclared(label);
}

function charsetOfPragma(attributes: Element['attributes']): string | null {
  if (attributes.get('http-equiv') !== 'content-type') return null;
  const [, ...values] = charsetInContent.exec(attributes.get('content') ?? '') ?? [];
  return values.find((value) => value !== undefined) ?? null;
}
