/**
 * URL of a Location header (RFC 9110 section 10.2.2), each character of which is a byte. Bytes beyond ASCII are
 * percent-encoded as they came, whatever their charset, as browsers and curl do. Null: no valid URL.
 */
export function locationUrl(location: string, base: string): URL | null {
  const text = location.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
  return URL.canParse(text, base) ? new URL(text, base) : null;
}
