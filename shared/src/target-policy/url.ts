import { formatHost, type Host, parseHostPort } from './host.js';
import { checkHttpPort } from './ports.js';
import { malformed, quoted, refused } from './target-error.js';

/**
 * Reads an http or https URL. The host is judged as it was WRITTEN, before the WHATWG parser turns numbers, full-width
 * letters and backslashes into something else; the URL returned has the host in canonical form. Messages never show
 * the URL, which may hold secrets.
 * @throws TargetError
 */
export function parseHttpUrl(text: string, field = 'target'): { url: URL; host: Host; port: number } {
  const { scheme, authority } = splitUrl(text, field);
  const { host, port: writtenPort } = parseHostPort(authority, field);
  const port = writtenPort ?? (scheme === 'https' ? 443 : 80);
  checkHttpPort(port, field);
  return { url: canonicalUrl(text, host, port, field), host, port };
}

function splitUrl(text: string, field: string): { scheme: string; authority: string } {
  // the WHATWG parser drops control characters and blanks, and treats a backslash as a slash
  if (/[\p{Cc}\s\\]/u.test(text)) throw malformed(field, 'a URL has no blank, control character or backslash');
  const parts = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)/.exec(text);
  if (parts === null) throw malformed(field, 'must be an http or https URL, for example https://example.com/');
  const [, written = '', authority = ''] = parts;
  const scheme = written.toLowerCase();
  if (scheme !== 'http' && scheme !== 'https')
    throw refused(field, `the scheme ${quoted(scheme)} is not http or https`);
  if (authority.includes('@')) throw refused(field, 'a URL may not carry a user name or password');
  return { scheme, authority };
}

function canonicalUrl(text: string, host: Host, port: number, field: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw malformed(field, 'it is not a URL');
  }
  const hostname = formatHost(host);
  // each change parses the whole URL again
  if (url.hostname !== hostname) url.hostname = hostname;
  const effectivePort = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  if (url.hostname !== hostname || effectivePort !== port) {
    throw malformed(field, 'it can be read as two different URLs');
  }
  return url;
}
