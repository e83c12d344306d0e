import type { HeaderLine } from '../probe-types/http.js';

/**
 * Fields of responses that are no list, so that joining the values of several lines would make up a third one (RFC 9110
 * section 5.3, RFC 9111, RFC 6797, Fetch standard).
 */
const singleFields: ReadonlySet<string> = new Set([
  'access-control-allow-credentials',
  'access-control-allow-origin',
  'access-control-max-age',
  'age',
  'content-disposition',
  'content-length',
  'content-location',
  'content-range',
  'date',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
  'server',
  'strict-transport-security',
]);
const mediaType = /^[\t ]*[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+[\t ]*(?:[;,]|$)/;

/**
 * Headers by their names in lower case. Several lines of a list are joined by comma and space (RFC 9110 section 5.3). Of
 * a field that is no list the first value counts, of Content-Type the last one that is a media type (Fetch standard, "extract a MIME
 * type").
 */
export function combineFields(lines: Iterable<HeaderLine>): Record<string, string> {
  const values = new Map<string, string>();
  for (const { name, value } of lines) {
    const lowerName = name.toLowerCase();
    const known = values.get(lowerName);
    values.set(lowerName, known === undefined ? value : combine(lowerName, known, value));
  }
  return Object.fromEntries(values);
}

function combine(name: string, known: string, value: string): string {
  if (name === 'content-type') return mediaType.test(value) ? value : known;
  if (singleFields.has(name)) return known === '' ? value : known;
  return `${known}, ${value}`;
}
