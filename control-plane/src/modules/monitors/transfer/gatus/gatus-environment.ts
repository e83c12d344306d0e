import { EntryError } from '../entry/entry.js';
import { isRecord } from '../entry/fields.js';

/**
 * Endpoint with `$$` replaced by a single dollar sign.
 * @throws EntryError where Gatus would insert a variable of its environment, which is unknown here
 */
export function withoutEnvironment(value: unknown, path = ''): unknown {
  if (typeof value === 'string') return text(value, path);
  const under = (name: string | number) => (path === '' ? String(name) : `${path}.${name}`);
  if (Array.isArray(value)) return value.map((one, index) => withoutEnvironment(one, under(index)));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutEnvironment(one, under(name))]));
}

function text(value: string, path: string): string {
  const variable = /\$(?:\{\w*\}|[A-Za-z_]\w*)/.exec(value.replaceAll('$$', ''))?.[0];
  if (variable !== undefined)
    throw new EntryError(
      path,
      'not_supported',
      `has ${variable} of Gatus's environment: write its value into the file`,
    );
  return value.replaceAll('$$', '$');
}
