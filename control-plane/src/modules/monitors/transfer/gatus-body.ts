import type { Assertion } from '@vantage/shared/assertions/schema.js';
import { anyOf, type Condition, orders, patternIn } from './gatus-condition.js';
import { valuesMeant } from './values-meant.js';

type Asserted = Omit<Assertion, 'severity'>;

/** An assertion about the body as a whole; null: there is none that says it. */
export function bodyAssertion({ operator, value }: Condition): Asserted | null {
  if (operator !== '==' && operator !== '!=') return null;
  const isWanted = operator === '==';
  const glob = patternIn(value);
  const part = glob === null ? null : partWanted(glob);
  if (part !== null) return { type: 'body_contains', op: isWanted ? 'contains' : 'ne', value: part };
  const options = anyOf(value) ?? [value];
  const pattern = glob === null ? `(?:${options.map(literal).join('|')})` : globPattern(glob);
  // Gatus takes the blanks around a body away
  return { type: 'body_regex', op: isWanted ? 'regex' : 'ne', value: `(?s)^\\s*${pattern}\\s*$` };
}

/** An assertion about a value in the JSON of the body; null: there is none that says it. */
export function jsonAssertion({ subject, operator, value }: Condition): Asserted | null {
  const path = jsonPathOf(subject);
  if (path === null) return null;
  const own = (op: Assertion['op'], wanted: unknown): Asserted => ({ type: 'json_path', path, op, value: wanted });
  const order = orders[operator];
  if (order !== undefined) return value !== '' && Number.isFinite(Number(value)) ? own(order, Number(value)) : null;
  const glob = patternIn(value);
  if (glob !== null) return operator === '==' ? own('regex', `(?s)^${globPattern(glob)}$`) : null;
  const options = (anyOf(value) ?? [value]).flatMap(valuesMeant);
  return own(operator === '==' ? 'in' : 'not_in', options);
}

/** `[BODY].data[0].id` as JSONPath; null for what is not such a path. */
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

/** The text that must be anywhere, where a glob says no more than that. */
function partWanted(glob: string): string | null {
  const part = /^\*([^*?[\]\\]+)\*$/.exec(glob)?.[1];
  return part ?? null;
}

/** As RE2 has it: `*` any text, `?` any character. */
function globPattern(glob: string): string {
  return [...glob].map((one) => (one === '*' ? '.*' : one === '?' ? '.' : literal(one))).join('');
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
