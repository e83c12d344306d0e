import type { StepBudget } from './step-budget.js';

/** How two values of a filter are compared (RFC 9535 section 2.3.5.2.2); undefined is the value of a query that found nothing. */
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
      return isLess(left, right);
    case '>':
      return isLess(right, left);
    case '<=':
      return isLess(left, right) || isEqual(left, right, budget);
    case '>=':
      return isLess(right, left) || isEqual(left, right, budget);
  }
}

/** Only numbers and strings have an order. */
function isLess(left: unknown, right: unknown): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  return typeof left === 'string' && typeof right === 'string' && left < right;
}

/** Equality of JSON values, however deep: pairs wait in a list, not on the stack. */
function isEqual(left: unknown, right: unknown, budget: StepBudget): boolean {
  const waiting: [unknown, unknown][] = [[left, right]];
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    budget.spend();
    const [a, b] = pair;
    if (a === b) continue;
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
