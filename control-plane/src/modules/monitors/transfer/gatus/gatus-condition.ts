import type { Assertion } from '@vantage/shared/assertions/schema.js';

/** Condition of Gatus: `[STATUS] == 200`. */
export interface Condition {
  readonly subject: string;
  readonly operator: Operator;
  readonly value: string;
}

export type Operator = '==' | '!=' | '<=' | '>=' | '<' | '>';

/** Operators that compare order. */
export const orders: Readonly<Record<string, Assertion['op']>> = { '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' };

/** Parses a condition; null if invalid. */
export function parseCondition(text: string): Condition | null {
  const from = text.trimStart();
  const found = /\s(==|!=|<=|>=|<|>)\s/.exec(from);
  if (found === null) return null;
  const [around, operator] = found;
  const value = from.slice(found.index + around.length).trim();
  return { subject: from.slice(0, found.index).trimEnd(), operator: operator as Operator, value };
}

/** Values of `any(…)`; null for another expression. */
export function anyOf(text: string): string[] | null {
  return (
    inside('any', text)
      ?.split(',')
      .map((one) => one.trim()) ?? null
  );
}

/** Glob of `pat(…)`; null for another expression. */
export function patternIn(text: string): string | null {
  return inside('pat', text);
}

function inside(name: 'any' | 'pat', text: string): string | null {
  return text.startsWith(`${name}(`) && text.endsWith(')') ? text.slice(name.length + 1, -1) : null;
}
