import { EntryError } from '../entry/entry.js';

/**
 * JSONPath of a JSONata path, as far as both have the same meaning: names and indexes.
 * @throws EntryError for any other expression
 */
export function jsonataToJsonPath(expression: string): string {
  const text = expression.trim().replace(/^\$(\.|(?=\[)|$)/, '');
  if (text === '') return '$';
  const isPlain = /^(?:[A-Za-z_]\w*|`[^`]+`|\[\d+\])(?:\.(?:[A-Za-z_]\w*|`[^`]+`)|\[\d+\])*$/.test(text);
  if (!isPlain) {
    const message = 'is a JSONata expression without an equivalent JSONPath; only names and indexes can be imported';
    throw new EntryError('jsonPath', 'not_supported', message);
  }
  const steps = text.match(/`[^`]+`|\[\d+\]|\w+/g) ?? [];
  return `$${steps.map(stepOf).join('')}`;
}

function stepOf(step: string): string {
  if (step.startsWith('[')) return step;
  return step.startsWith('`') ? `[${JSON.stringify(step.slice(1, -1))}]` : `.${step}`;
}
