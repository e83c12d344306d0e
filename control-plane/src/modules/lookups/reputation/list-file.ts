import { readFileSync } from 'node:fs';
import { compileSchema } from '@vantage/shared/validation.js';
import { ConfigError } from '../../../config/config.js';
import { settings } from '../../../config/settings.js';
import { type ListDefinition, ListFileSchema, listDefinitions, listFileErrors } from './list-definition.js';

const check = compileSchema(ListFileSchema);

/** Reads the file of lists. @throws ConfigError that names each list and field */
export function readListFile(path: string): ListDefinition[] {
  const written = parseJson(path);
  const checked = check(written);
  if (!checked.ok) {
    const messages = Object.entries(checked.details).flatMap(([field, errors]) =>
      errors.map(({ message }) => `${placeOf(field, written)} ${message}`),
    );
    throw listError(path, messages);
  }
  const errors = listFileErrors(checked.value);
  if (errors.length > 0) throw listError(path, errors);
  return listDefinitions(checked.value);
}

/** Error about the file of lists. */
export function listError(path: string, messages: readonly string[]): ConfigError {
  const { name } = settings.reputationLists;
  return new ConfigError(messages.map((message) => ({ name, message: `"${path}": ${message}` })));
}

function parseJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw listError(path, [error instanceof SyntaxError ? 'is not valid JSON' : `cannot be read (${String(error)})`]);
  }
}

/** `2.signal` as `list "tor": signal`; a list without a name is called by its place. */
function placeOf(field: string, written: unknown): string {
  if (!Array.isArray(written)) return 'the file';
  const [index = '', ...rest] = field.split('.');
  if (!/^\d+$/.test(index)) return 'the file';
  const list: unknown = written[Number(index)];
  const name: unknown = typeof list === 'object' && list !== null ? Reflect.get(list, 'name') : null;
  const called =
    typeof name === 'string' && rest[0] !== 'name' ? `list ${JSON.stringify(name)}` : `list ${Number(index) + 1}`;
  return rest.length === 0 ? called : `${called}: ${rest.join('.')}`;
}
