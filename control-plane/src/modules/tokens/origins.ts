import type { FieldErrors, Validation } from '@vantage/shared/validation.js';

/** Origins as browsers send them (RFC 6454 section 6.2), each once, in the order given. */
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

/** The URL parser would mend a path, a user, white space and backslashes, and takes `*` for a letter. */
const FORM = /^https?:\/\/[^\s/\\?#@*%]+$/i;

/** Lower case, the host in its ASCII form, without the port that is the scheme's own; null for anything else. */
function parseOrigin(text: string): string | null {
  return FORM.test(text) && URL.canParse(text) ? new URL(text).origin : null;
}
