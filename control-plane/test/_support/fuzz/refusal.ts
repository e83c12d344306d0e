import type { FieldErrors } from '@vantage/shared/validation.js';
import type { FuzzAnswer } from './answer.js';

/** Codes of refusals about the request itself, which always name its fields. */
const aboutFields: ReadonlySet<string> = new Set(['VALIDATION_FAILED', 'REQUEST_BODY_INVALID']);

type Code = FieldErrors[string][number]['code'];

/** A sentence about the value or the state that stands in the way. */
const sentence = /\S+ \S+ \S+/;

/** Words by which a message of each code states what is allowed in place of what was sent. */
const allowance: Readonly<Record<Code, RegExp>> = {
  required: /^(is required|must )/,
  unknown: /known: |none is known here|of any object|is not for the type|is not a field of|event-types lists/,
  type: /^must be /,
  format: sentence,
  range: sentence,
  length: sentence,
  enum: /must be |known: |lists /,
  conflict: /\S+ \S+/,
  not_found: /no such |no online node |is not |must |lists |enroll one/,
  not_supported: /supported|known: |does not |must be |lists /,
  refused: /\S+ \S+/,
};

/**
 * Sentences of a refusal that leave open what is allowed; the field and the code come first. Only those in English are
 * read: a message without translations is a 500 in tests, and translations are judged with the catalog.
 */
export function unclearParts({ status, headers, body }: FuzzAnswer): string[] {
  const error = body?.error;
  if (status < 400 || typeof error !== 'object' || typeof error.code !== 'string') return [];
  const entries = Object.entries<FieldErrors[string]>(error.details ?? {});
  if (entries.length === 0) return aboutFields.has(error.code) ? [`${error.code} names no field`] : [];
  if (headers.get('content-language') !== 'en') return [];
  return entries.flatMap(([field, list]) =>
    list.filter((entry) => !isClear(field, entry)).map(({ code, message }) => `${field} (${code}): ${message}`),
  );
}

function isClear(field: string, { code, message }: FieldErrors[string][number]): boolean {
  const isPatternAlone = /must match pattern "/.test(message) && !message.includes('for example');
  return (
    field !== '' &&
    allowance[code].test(message) &&
    !isPatternAlone &&
    !/\bNOT\b|wrong form|wrong length|out of range|undefined/.test(message)
  );
}
