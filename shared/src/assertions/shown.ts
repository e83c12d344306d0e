import { ExactNumber } from '../exact-number.js';

/** Characters of a value that a message shows at most. */
const MAX_SHOWN = 100;
/** A shorter text protects nothing, and is in everything. */
const MIN_SECRET_LENGTH = 4;
const HIDDEN = '[secret]';

/** A value as messages show it: JSON, which escapes what cannot be stored, without secrets, cut after 100 characters. */
export function shownValue(value: unknown, secrets: readonly string[]): string {
  return cutText(withoutSecrets(written(value), secrets), MAX_SHOWN);
}

function written(value: unknown): string {
  if (value instanceof ExactNumber) return String(value);
  try {
    return JSON.stringify(value) ?? 'nothing';
  } catch {
    return 'nested too deeply to be shown';
  }
}

/** A text without secrets, as they are and as JSON writes them. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) =>
    secret.length < MIN_SECRET_LENGTH ? [] : [secret, JSON.stringify(secret).slice(1, -1)],
  );
  // a secret may be part of another one
  forms.sort((a, b) => b.length - a.length);
  return forms.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
}

/**
 * Cuts a text to at most `maxLength` characters, the last of them … if any were cut; characters that cannot be stored
 * become U+FFFD.
 */
export function cutText(text: string, maxLength: number): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return cut.replaceAll(/[\0\p{Surrogate}]/gu, '\ufffd');
}
