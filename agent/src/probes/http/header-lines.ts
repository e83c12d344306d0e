import type { HeaderLine } from '@vantage/shared/probe-types/http.js';

/**
 * Header lines of a response, each for itself: a name that occurs twice is two lines. A cookie keeps its name and its
 * attributes; its value may be a session.
 */
export function headerLines(rawHeaders: readonly string[]): HeaderLine[] {
  const lines: HeaderLine[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    const value = rawHeaders[i + 1] ?? '';
    if (!name.startsWith(':')) lines.push({ name, value: name === 'set-cookie' ? withoutCookieValue(value) : value });
  }
  return lines;
}

/** `id=secret; Path=/` -> `id=; Path=/`. A cookie without a name is all value (RFC 6265bis section 5.6). */
function withoutCookieValue(cookie: string): string {
  const [pair = '', ...attributes] = cookie.split(';');
  const name = pair.includes('=') ? pair.slice(0, pair.indexOf('=') + 1) : '';
  return [name, ...attributes].join(';');
}
