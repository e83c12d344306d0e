import { EntryError } from './entry.js';

/** Host and port in the form of targets. */
export function hostPort(host: string, port: number): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]:${port}` : `${host}:${port}`;
}

export interface UrlCredentials {
  readonly username: string;
  readonly password: string;
}

/** URL without its credentials, which targets must not have. */
export function splitCredentials(url: string): { readonly url: string; readonly credentials: UrlCredentials | null } {
  const parts = /^(https?:\/\/)([^/?#@]*)@(.*)$/is.exec(url.trim());
  if (parts === null) return { url: url.trim(), credentials: null };
  const [, scheme = '', userinfo = '', rest = ''] = parts;
  const colon = userinfo.indexOf(':');
  const [username, password] = colon < 0 ? [userinfo, ''] : [userinfo.slice(0, colon), userinfo.slice(colon + 1)];
  return { url: scheme + rest, credentials: { username: decoded(username), password: decoded(password) } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new EntryError('url', 'format', 'has credentials that are not percent-encoded UTF-8');
  }
}

/** `https` for what begins so, else `http`. */
export function httpTypeOf(url: string): 'http' | 'https' {
  return /^https:/i.test(url) ? 'https' : 'http';
}
