/** Characters of a Location at most; encoding more would take milliseconds. */
const MAX_LOCATION_LENGTH = 8192;

/**
 * URL of a Location header (RFC 9110 section 10.2.2), each character of which is a byte. Bytes beyond ASCII are
 * percent-encoded as they came, whatever their charset, as browsers and curl do. Null if it is no valid URL, or one that no server takes.
 */
export function locationUrl(location: string, base: string): URL | null {
  if (location.length > MAX_LOCATION_LENGTH) return null;
  const text = location.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
  return URL.canParse(text, base) ? new URL(text, base) : null;
}
