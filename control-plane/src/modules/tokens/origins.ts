import type { FieldErrors, Validation } from '@vantage/shared/validation.js';

/** Checks origins, and converts them to the form that browsers send (RFC 6454 section 6.2), without duplicates. */
export function checkOrigins(texts: readonly string[]): Validation<string[]> {
  const origins = texts.map(parseOrigin);
  const details: FieldErrors = {};
  for (const [index, origin] of origins.entries()) {
    if (origin !== null) continue;
    const message = 'must be an origin, scheme://host[:port] of http or https, such as https://app.example.com';
    details[`allowed_origins.${index}`] = [{ code: 'format', message }];
  }
  if (Object.keys(details).length > 0) return { ok: false, details };
  return { ok: true, value: [...new Set(origins.filter((origin) => origin !== null))] };
}

/** Stricter form than that of the URL parser, which accepts paths, users, white space, backslashes and `*`. */
const FORM = /^https?:\/\/[^\s/\\?#@*%]+$/i;

/** Parses an origin: lower case, the host in ASCII, without the default port of the scheme; null if it is not an origin. */
function parseOrigin(text: string): string | null {
  return FORM.test(text) && URL.canParse(text) ? new URL(text).origin : null;
}
