import { ExactNumber, isLargeNumber } from '../exact-number.js';
import { compareValues } from '../json-path/compare.js';
import { StepBudget } from '../json-path/step-budget.js';
import { compilePattern } from './pattern.js';
import type { AssertionOp } from './schema.js';

/** Steps that one comparison of two values may take. */
const MAX_STEPS = 20_000;

/**
 * Compares a found value with another as `op` says; false when the two cannot be compared. Only two numbers or two
 * texts have an order (RFC 9535 section 2.3.5.2.2), and `value` is one of them where `op` needs an order.
 * A text that is a number beyond 2^53, or one that JavaScript rounds, is compared with numbers as that number: settings cannot have
 * it otherwise.
 * @throws JsonPathBudgetError for values that are too large, PatternError
 */
export function holds(found: unknown, op: AssertionOp, value: unknown): boolean {
  const order = (operator: '>' | '>=' | '<' | '<=') =>
    compareValues(found, operator, meantFor(found, value), new StepBudget(MAX_STEPS));
  switch (op) {
    case 'eq':
      return isEqual(found, value);
    case 'ne':
      return !isEqual(found, value);
    case 'gt':
      return order('>');
    case 'gte':
      return order('>=');
    case 'lt':
      return order('<');
    case 'lte':
      return order('<=');
    case 'in':
      return Array.isArray(value) && value.some((one) => isEqual(found, one));
    case 'not_in':
      return Array.isArray(value) && !value.some((one) => isEqual(found, one));
    case 'contains':
      return contains(found, value);
    case 'regex':
      return typeof found === 'string' && compilePattern(String(value)).isIn(found);
  }
}

function isEqual(found: unknown, value: unknown): boolean {
  return compareValues(found, '==', meantFor(found, value), new StepBudget(MAX_STEPS));
}

function meantFor(found: unknown, value: unknown): unknown {
  const isOfNumber = typeof found === 'number' || found instanceof ExactNumber;
  return isOfNumber && typeof value === 'string' && isLargeNumber(value) ? new ExactNumber(value) : value;
}

/** A part of a text, or an element of an array. */
function contains(found: unknown, value: unknown): boolean {
  if (typeof found === 'string') return typeof value === 'string' && found.includes(value);
  return Array.isArray(found) && found.some((element) => isEqual(element, value));
}
