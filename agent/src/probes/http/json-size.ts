import { MAX_JSON_CHARACTERS, MAX_JSON_DEPTH, MAX_JSON_VALUES } from './limits.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Reason why a text exceeds the JSON that is parsed, or null. Decided before parsing, because a parser cannot be
 * interrupted: 1 MiB of objects whose names are all different keeps it busy for a fifth of a second (measured
 * 2026-11). An empty list or object counts as two values.
 */
export function jsonExcess(text: string): string | null {
  if (text.length > MAX_JSON_CHARACTERS) return `more than ${MAX_JSON_CHARACTERS} characters`;
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at + 1);
        break;
      case 0x2c: // ,
        values += 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
        values += 1;
        depth += 1;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
    }
    if (values > MAX_JSON_VALUES) return `more than ${MAX_JSON_VALUES} values`;
    if (depth > MAX_JSON_DEPTH) return `more than ${MAX_JSON_DEPTH} levels`;
  }
  return null;
}

/** Position of the quotation mark that ends a string; the text's length where there is none. */
function endOfString(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
