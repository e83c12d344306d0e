import { findUnstorableText } from '../text.js';
import { MAX_RESULT_BYTES } from './limits.js';

// one for all: it keeps nothing between calls, and creating one costs more than decoding a result
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The JSON (RFC 8259) that a node delivered as bytes; undefined where it is none, is larger than a result may be, is not UTF-8
 * (RFC 3629), or holds text that PostgreSQL cannot store.
 */
export function parseDelivered(bytes: Uint8Array): unknown {
  if (bytes.length > MAX_RESULT_BYTES) return undefined;
  try {
    const text = utf8.decode(bytes);
    const value: unknown = JSON.parse(text);
    return mayBeUnstorable(text) && findUnstorableText(value) !== null ? undefined : value;
  } catch {
    return undefined;
  }
}

/** JSON allows no bare U+0000 and UTF-8 no surrogates: only an escape by number writes them. */
function mayBeUnstorable(json: string): boolean {
  return json.includes('\\u');
}
