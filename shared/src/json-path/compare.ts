import { compareNumbers, ExactNumber } from '../exact-number.js';
import type { StepBudget } from './step-budget.js';

/** Characters that are compared in the time of one step. */
const CHARACTERS_PER_STEP = 128;

/**
 * Compares two values of a filter (RFC 9535 section 2.3.5.2.2); undefined is the value of a query that found nothing.
 */
export function compareValues(
  left: unknown,
  operator: '==' | '!=' | '<' | '<=' | '>' | '>=',
  right: unknown,
  budget: StepBudget,
): boolean {
  switch (operator) {
    case '==':
      return isEqual(left, right, budget);
    case '!=':
      return !isEqual(left, right, budget);
    case '<':
      return isLess(left, right, budget);
    case '>':
      return isLess(right, left, budget);
    case '<=':
      return isLess(left, right, budget) || isEqual(left, right, budget);
    case '>=':
      return isLess(right, left, budget) || isEqual(left, right, budget);
  }
}

/** True if the left value is less; only numbers and strings have an order. */
function isLess(left: unknown, right: unknown, budget: StepBudget): boolean {
  const order = orderOf(left, right, budget);
  if (order !== null) return order < 0;
  if (typeof left !== 'string' || typeof right !== 'string') return false;
  spendOnTexts(left, right, budget);
  return left < right;
}

/** Order of two numbers by all of their digits, which may be half a mebibyte; null if one of them is no number. */
function orderOf(left: unknown, right: unknown, budget: StepBudget): number | null {
  const isLong = left instanceof ExactNumber || right instanceof ExactNumber;
  if (isLong) spendOnTexts(String(left), String(right), budget);
  return compareNumbers(left, right);
}

/** Texts of a stranger's document may be alike for half a mebibyte. */
function spendOnTexts(left: string, right: string, budget: StepBudget): void {
  budget.spend(Math.floor(Math.min(left.length, right.length) / CHARACTERS_PER_STEP));
}

/** Equality of JSON values, however deep: pairs wait in a list, not on the stack. */
function isEqual(left: unknown, right: unknown, budget: StepBudget): boolean {
  const waiting: [unknown, unknown][] = [[left, right]];
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    budget.spend();
    const [a, b] = pair;
    if (typeof a === 'string' && typeof b === 'string') spendOnTexts(a, b, budget);
    if (a === b) continue;
    if (a instanceof ExactNumber || b instanceof ExactNumber) {
      if (orderOf(a, b, budget) !== 0) return false;
      continue;
    }
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    const names = Object.keys(a);
    const { length } = Object.keys(b);
    budget.spend(names.length + length);
    if (names.length !== length) return false;
    for (const name of names) {
      if (!Object.hasOwn(b, name)) return false;
      waiting.push([Reflect.get(a, name), Reflect.get(b, name)]);
    }
  }
  return true;
}
