import type { Assertion } from '@vantage/shared/assertions/schema.js';

/** A condition of Gatus: `[STATUS] == 200`. */
export interface Condition {
  readonly subject: string;
  readonly operator: Operator;
  readonly value: string;
}

export type Operator = '==' | '!=' | '<=' | '>=' | '<' | '>';

/** Operators that ask for an order. */
export const orders: Readonly<Record<string, Assertion['op']>> = { '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' };

/** Reads a condition; null: it is none. */
export function parseCondition(text: string): Condition | null {
  const from = text.trimStart();
  const found = /\s(==|!=|<=|>=|<|>)\s/.exec(from);
  if (found === null) return null;
  const [around, operator] = found;
  const value = from.slice(found.index + around.length).trim();
  return { subject: from.slice(0, found.index).trimEnd(), operator: operator as Operator, value };
}

/** The values of `any(…)`; null: it is not that. */
export function anyOf(text: string): string[] | null {
  return (
    inside('any', text)
      ?.split(',')
      .map((one) => one.trim()) ?? null
  );
}

/** The glob of `pat(…)`; null: it is not that. */
export function patternIn(text: string): string | null {
  return inside('pat', text);
}

function inside(name: 'any' | 'pat', text: string): string | null {
  return text.startsWith(`${name}(`) && text.endsWith(')') ? text.slice(name.length + 1, -1) : null;
}
