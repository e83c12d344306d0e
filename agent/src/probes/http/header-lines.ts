import type { HeaderLine } from '@vantage/shared/probe-types/http.js';
import { fieldLines } from './field-values.js';

/**
 * Header lines of a response, each for itself: a name that occurs twice is two lines. A cookie keeps its name and its
 * attributes; its value may be a session.
 */
export function headerLines(rawHeaders: readonly string[]): HeaderLine[] {
  return fieldLines(rawHeaders).map((line) =>
    line.name === 'set-cookie' ? { ...line, value: withoutCookieValue(line.value) } : line,
  );
}

/** `id=secret; Path=/` -> `id=; Path=/`. A cookie without a name is all value (RFC 6265bis section 5.6). */
function withoutCookieValue(cookie: string): string {
  const [pair = '', ...attributes] = cookie.split(';');
  const name = pair.includes('=') ? pair.slice(0, pair.indexOf('=') + 1) : '';
  return [name, ...attributes].join(';');
}
