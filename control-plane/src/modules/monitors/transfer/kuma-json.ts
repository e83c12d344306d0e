import { EntryError } from './entry.js';

/**
 * A path of JSONata as JSONPath, as far as they mean the same: names and indexes.
 * @throws EntryError for any other expression
 */
export function jsonataToJsonPath(expression: string): string {
  const text = expression.trim().replace(/^\$(\.|(?=\[)|$)/, '');
  if (text === '') return '$';
  const isPlain = /^(?:[A-Za-z_]\w*|`[^`]+`|\[\d+\])(?:\.(?:[A-Za-z_]\w*|`[^`]+`)|\[\d+\])*$/.test(text);
  if (!isPlain) {
    const message = 'is an expression of JSONata that no JSONPath says; only names and indexes are carried over';
    throw new EntryError('jsonPath', 'not_supported', message);
  }
  const steps = text.match(/`[^`]+`|\[\d+\]|\w+/g) ?? [];
  return `$${steps.map(stepOf).join('')}`;
}

function stepOf(step: string): string {
  if (step.startsWith('[')) return step;
  return step.startsWith('`') ? `[${JSON.stringify(step.slice(1, -1))}]` : `.${step}`;
}
