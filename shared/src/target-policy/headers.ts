import { contradictory, malformed, quoted, refused } from './target-error.js';

/** Headers that frame the message or belong to the connection (RFC 9110 section 7.6.1, RFC 9112), and Host. */
const forbiddenHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** True if a request header belongs to the connection or names the host: probes set their own. */
export function isOwnHeader(name: string): boolean {
  return forbiddenHeaders.has(name.toLowerCase());
}

/**
 * Checks that a probe may send these request headers: names are tokens and unique without regard to case; values are
 * Latin-1 without control characters. Values never appear in messages.
 * @throws TargetError with field `params.headers.NAME`
 */
export function checkRequestHeaders(headers: Readonly<Record<string, string>>): void {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const field = `params.headers.${name}`;
    const lowerName = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) throw malformed(field, `${quoted(name)} is not a header name`);
    if (isOwnHeader(name)) throw refused(field, `the header ${quoted(name)} may not be set`);
    if (seen.has(lowerName)) throw contradictory(field, `the header ${quoted(name)} is set twice`);
    if (!/^[\x20-\x7e\xa0-\xff]*$/.test(value)) {
      throw malformed(field, `the value of ${quoted(name)} has a control character or one beyond Latin-1`);
    }
    seen.add(lowerName);
  }
}
