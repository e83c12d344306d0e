import type { Assertion } from '@vantage/shared/assertions/schema.js';
import { isRounded } from '@vantage/shared/exact-number.js';
import { valuesMeant } from '../entry/values-meant.js';
import { anyOf, type Condition, orders, patternIn } from './gatus-condition.js';

type Asserted = Omit<Assertion, 'severity'>;

/** Assertion about the body as a whole; null if there is no equivalent. */
export function bodyAssertion({ operator, value }: Condition): Asserted | null {
  if (operator !== '==' && operator !== '!=') return null;
  const isWanted = operator === '==';
  const glob = patternIn(value);
  if (glob !== null && hasClasses(glob)) return null;
  const part = glob === null ? null : partWanted(glob);
  if (part !== null) return { type: 'body_contains', op: isWanted ? 'contains' : 'ne', value: part };
  const options = anyOf(value) ?? [value];
  const pattern = glob === null ? `(?:${options.map(literal).join('|')})` : globPattern(glob);
  // Gatus trims the body
  return { type: 'body_regex', op: isWanted ? 'regex' : 'ne', value: `(?s)^\\s*${pattern}\\s*$` };
}

/** Assertion about a value in the JSON of the body; null if there is no equivalent. */
export function jsonAssertion({ subject, operator, value }: Condition): Asserted | null {
  const path = jsonPathOf(subject);
  if (path === null) return null;
  const own = (op: Assertion['op'], wanted: unknown): Asserted => ({ type: 'json_path', path, op, value: wanted });
  const order = orders[operator];
  if (order !== undefined && isRounded(value)) return own(order, value);
  if (order !== undefined) return value !== '' && Number.isFinite(Number(value)) ? own(order, Number(value)) : null;
  // a check fails where the body has no such value, which is unlike any other in Gatus
  if (operator === '!=') return null;
  const glob = patternIn(value);
  if (glob !== null) return !hasClasses(glob) ? own('regex', `(?s)^${globPattern(glob)}$`) : null;
  const options = (anyOf(value) ?? [value]).flatMap(valuesMeant);
  return own('in', options);
}

/** JSONPath of `[BODY].data[0].id`; null if it is not such a path. */
function jsonPathOf(subject: string): string | null {
  if (!subject.startsWith('[BODY]')) return null;
  const rest = subject.slice('[BODY]'.length);
  if (!/^(?:\.[^.[\]()\s]+|\[\d+\])+$/.test(rest)) return null;
  const steps = rest.match(/\[\d+\]|[^.[\]]+/g) ?? [];
  return `$${steps.map(stepOf).join('')}`;
}

function stepOf(step: string): string {
  if (step.startsWith('[')) return step;
  return /^[A-Za-z_]\w*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}

/** Text that a glob requires anywhere, if it requires nothing else. */
function partWanted(glob: string): string | null {
  const part = /^\*([^*?]+)\*$/.exec(glob)?.[1];
  return part ?? null;
}

/** True if a glob has classes of characters or escapes, which have no equivalent here. */
function hasClasses(glob: string): boolean {
  return /[[\\]/.test(glob);
}

/** RE2 pattern of a glob: `*` is any text, `?` any character. */
function globPattern(glob: string): string {
  return [...glob].map((one) => (one === '*' ? '.*' : one === '?' ? '.' : literal(one))).join('');
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
