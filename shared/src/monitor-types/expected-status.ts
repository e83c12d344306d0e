import { Type } from 'typebox';
import type { FieldErrors } from '../validation.js';

/** Status codes as people write them: 204, "2xx", "200-299", or several of those. */
export type ExpectedStatus = number | string | (number | string)[];

// one schema for all forms: a union would report the errors of all its forms
const code = { minimum: 100, maximum: 999, pattern: '^[1-9](xx|\\d\\d(-[1-9]\\d\\d)?)$' };

/** Setting `expected_status`. */
export const expectedStatusField = Type.Optional(
  Type.Unsafe<ExpectedStatus>({
    type: ['integer', 'string', 'array'],
    ...code,
    items: { type: ['integer', 'string'], ...code },
    minItems: 1,
    maxItems: 20,
    description:
      'Expected status codes: 204, "2xx", "200-299", or an array of those. Default: 2xx, or any if an assertion compares status_code.',
  }),
);

/** The same as an array of texts. */
export function statusTexts(expected: ExpectedStatus): string[] {
  return (Array.isArray(expected) ? expected : [expected]).map(String);
}

/** True if a status is one of those expected. */
export function isExpectedStatus(status: number, expected: ExpectedStatus): boolean {
  return statusTexts(expected)
    .map(rangeOf)
    .some(([lowest, highest]) => status >= lowest && status <= highest);
}

/** A range that ends before it begins. */
export function checkExpectedStatus(expected: ExpectedStatus): FieldErrors {
  const reversed = statusTexts(expected).find((text) => rangeOf(text)[0] > rangeOf(text)[1]);
  if (reversed === undefined) return {};
  return { expected_status: [{ code: 'range', message: `${reversed} ends before it begins` }] };
}

function rangeOf(text: string): [lowest: number, highest: number] {
  if (text.endsWith('xx')) return [Number(text[0]) * 100, Number(text[0]) * 100 + 99];
  const [lowest, highest = lowest] = text.split('-').map(Number);
  return [lowest ?? Number.NaN, highest ?? Number.NaN];
}
