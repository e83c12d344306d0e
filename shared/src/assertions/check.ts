import { JsonPathError, parseJsonPath } from '../json-path/parse.js';
import type { FieldError, FieldErrors } from '../validation.js';
import { compilePattern, costOfPattern, MAX_PATTERN_SIZE, PatternError } from './pattern.js';
import { assertionRules, isPatterned, ruleBreach } from './rules.js';
import type { Assertion, AssertionType } from './schema.js';

/** Greatest number of assertions of a type that a monitor may have: as many as a probe searches for. */
const maxOfType = { json_path: 10, body_contains: 10 } as const;

/** Limits on the assertions of one monitor. */
export interface AssertionLimits {
  /** Assertion types that the monitor's type measures. */
  readonly types: readonly AssertionType[];
  /** Number of searches in the body that the monitor's type makes itself, in addition to the assertions. */
  readonly reserved?: Partial<Record<keyof typeof maxOfType, number>>;
}

/** Errors in an assertion that is valid by its schema, by its fields; empty when there are none. */
export function checkAssertion(assertion: Assertion): FieldErrors {
  const errors: FieldErrors = { ...fieldsOf(assertion) };
  const breach = ruleBreach(assertion);
  if (breach !== null) errors[breach.field] = [breach.error];
  else if (isPatterned(assertion)) Object.assign(errors, patternErrors(String(assertion.value)));
  return errors;
}

/**
 * Checks all assertions of a monitor together and returns the errors of each field under `assertions.N`; empty when
 * all are valid.
 */
export function checkAssertions(assertions: readonly Assertion[], limits: AssertionLimits): FieldErrors {
  const errors: FieldErrors = {};
  let cost = 0;
  for (const [i, assertion] of assertions.entries()) {
    // earlier ones are refused already, alone or together: compiling these, too, would only waste time
    if (isPatterned(assertion) && cost > MAX_PATTERN_SIZE) continue;
    if (isPatterned(assertion)) cost += costOfPattern(String(assertion.value));
    const own = limits.types.includes(assertion.type) ? checkAssertion(assertion) : notMeasured(limits);
    for (const [field, list] of Object.entries(own)) errors[`assertions.${i}.${field}`] = list;
  }
  const many = [...tooMany(assertions, limits), ...(Object.keys(errors).length === 0 ? tooCostly(cost) : [])];
  return many.length === 0 ? errors : { ...errors, assertions: many };
}

function notMeasured({ types }: AssertionLimits): FieldErrors {
  const message = `is not measured by this type of monitor, which supports ${types.join(', ')}`;
  return { type: [{ code: 'not_supported', message }] };
}

/** `path` and `name`: required by one type, unknown to the others. */
function fieldsOf({ type, path, name }: Assertion): FieldErrors {
  const { field } = assertionRules[type];
  const errors: FieldErrors = {};
  for (const [one, value] of Object.entries({ path, name })) {
    if (one === field && value === undefined) errors[one] = [{ code: 'required', message: `is required by ${type}` }];
    if (one !== field && value !== undefined) errors[one] = [{ code: 'unknown', message: `is not a field of ${type}` }];
  }
  return field === 'path' && path !== undefined ? { ...errors, ...pathErrors(path) } : errors;
}

function pathErrors(path: string): FieldErrors {
  try {
    parseJsonPath(path);
    return {};
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    return { path: [{ code: 'format', message: error.message }] };
  }
}

function patternErrors(pattern: string): FieldErrors {
  try {
    compilePattern(pattern);
    return {};
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return { value: [{ code: 'format', message: error.message }] };
  }
}

function tooMany(assertions: readonly Assertion[], { reserved = {} }: AssertionLimits): FieldError[] {
  return (['json_path', 'body_contains'] as const).flatMap((type) => {
    const most = maxOfType[type] - (reserved[type] ?? 0);
    if (assertions.filter((assertion) => assertion.type === type).length <= most) return [];
    return [{ code: 'length' as const, message: `must not have more than ${most} of type ${type}` }];
  });
}

/** Refuses patterns that are too large together, because they are searched for one after another. */
function tooCostly(size: number): FieldError[] {
  if (size <= MAX_PATTERN_SIZE) return [];
  const message = `has patterns that compile to at least ${size} instructions together, ${MAX_PATTERN_SIZE} are allowed`;
  return [{ code: 'length', message }];
}
