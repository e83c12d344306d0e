import type { FieldError } from '../validation.js';
import { type Assertion, type AssertionOp, type AssertionType, MAX_VALUE_LENGTH } from './schema.js';

/** Entries of an array in a value at most. */
const MAX_ENTRIES = 50;
/** Characters of a value as JSON at most. */
const MAX_JSON_LENGTH = 2048;

interface ValueForm {
  readonly says: string;
  isIt(value: unknown): boolean;
}

const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);
const isText = (value: unknown) => typeof value === 'string' && value !== '' && value.length <= MAX_VALUE_LENGTH;
const listOf = (isEntry: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.length <= MAX_ENTRIES && value.every(isEntry);

/** Permitted forms of a value. */
const valueForms = {
  number: { says: 'must be a number', isIt: isNumber },
  text: { says: `must be a string of 1 to ${MAX_VALUE_LENGTH} characters`, isIt: isText },
  pattern: { says: `must be a pattern of 1 to ${MAX_VALUE_LENGTH} characters`, isIt: isText },
  numberOrText: {
    says: `must be a number, or a string of 1 to ${MAX_VALUE_LENGTH} characters`,
    isIt: (value: unknown) => isNumber(value) || isText(value),
  },
  any: { says: `must be JSON of at most ${MAX_JSON_LENGTH} characters`, isIt: isShortJson },
  numbers: { says: `must be an array of 1 to ${MAX_ENTRIES} numbers`, isIt: listOf(isNumber) },
  texts: {
    says: `must be an array of 1 to ${MAX_ENTRIES} strings of 1 to ${MAX_VALUE_LENGTH} characters`,
    isIt: listOf(isText),
  },
  list: {
    says: `must be an array of 1 to ${MAX_ENTRIES} values, at most ${MAX_JSON_LENGTH} characters of JSON`,
    isIt: (value: unknown) => listOf(() => true)(value) && isShortJson(value),
  },
} as const satisfies Record<string, ValueForm>;

function isShortJson(value: unknown): boolean {
  try {
    return JSON.stringify(value).length <= MAX_JSON_LENGTH;
  } catch {
    // nested so deeply that it cannot be written
    return false;
  }
}

interface AssertionRule {
  /** Field that names which of several values the assertion is about. */
  readonly field: 'path' | 'name' | null;
  /** Operators that make sense, and the value each of them takes. */
  readonly ops: Readonly<Partial<Record<AssertionOp, keyof typeof valueForms>>>;
}

const orders = <F extends keyof typeof valueForms>(form: F) => ({ gt: form, gte: form, lt: form, lte: form });

/** Operators and values of each type of assertion. */
export const assertionRules: Readonly<Record<AssertionType, AssertionRule>> = {
  status_code: {
    field: null,
    ops: { eq: 'number', ne: 'number', ...orders('number'), in: 'numbers', not_in: 'numbers' },
  },
  response_time: { field: null, ops: orders('number') },
  body_contains: { field: null, ops: { contains: 'text', eq: 'text', ne: 'text' } },
  body_regex: { field: null, ops: { regex: 'pattern', eq: 'pattern', ne: 'pattern' } },
  json_path: {
    field: 'path',
    ops: {
      eq: 'any',
      ne: 'any',
      ...orders('numberOrText'),
      in: 'list',
      not_in: 'list',
      contains: 'any',
      regex: 'pattern',
    },
  },
  header_value: {
    field: 'name',
    ops: {
      eq: 'text',
      ne: 'text',
      ...orders('number'),
      in: 'texts',
      not_in: 'texts',
      contains: 'text',
      regex: 'pattern',
    },
  },
  ssl_days_remaining: { field: null, ops: orders('number') },
};

/** Error in an assertion's value or operator; null when the table finds none. */
export function ruleBreach({ type, op, value }: Assertion): { field: 'op' | 'value'; error: FieldError } | null {
  const { ops } = assertionRules[type];
  const form = ops[op];
  if (form === undefined) {
    const message = `of ${type} must be one of ${Object.keys(ops).join(', ')}`;
    return { field: 'op', error: { code: 'enum', message } };
  }
  const { isIt, says } = valueForms[form];
  return isIt(value) ? null : { field: 'value', error: { code: 'type', message: says } };
}

/** True if the assertion's value is a pattern. */
export function isPatterned({ type, op }: Assertion): boolean {
  return assertionRules[type].ops[op] === 'pattern';
}
