import { definitionOf, type ProbeType } from '@vantage/shared/probe-types/index.js';
import { compileCoercingSchema } from '@vantage/shared/validation.js';
import { CommandError } from '../exit-codes.js';

/**
 * Parameters from `name=value` words: strings become what the schema asks for, JSON where a value is an object or list.
 * A list can be given by its entries too, a word for each.
 */
export function parseProbeParams(type: ProbeType, words: readonly string[]): Record<string, unknown> {
  const params: Record<string, unknown> = Object.create(null);
  for (const word of words) {
    const equals = word.indexOf('=');
    if (equals <= 0) throw new CommandError('usage', `--param must be name=value, not "${word}"`);
    const name = word.slice(0, equals);
    const value = structured(word.slice(equals + 1));
    params[name] = isList(type, name) && !Array.isArray(value) ? [...listed(params[name]), value] : value;
  }
  const checked = compileCoercingSchema(definitionOf(type).Params)({ ...params });
  if (checked.ok) return checked.value as Record<string, unknown>;
  const complaints = Object.entries(checked.details).map(
    ([field, errors]) => `${field} ${errors.map((error) => error.message).join(', ')}`,
  );
  throw new CommandError('usage', `--param: ${complaints.join('; ')}`);
}

function isList(type: ProbeType, name: string): boolean {
  const { properties } = definitionOf(type).Params as unknown as { properties: Record<string, { type?: string }> };
  return Object.hasOwn(properties, name) && properties[name]?.type === 'array';
}

function listed(known: unknown): readonly unknown[] {
  return Array.isArray(known) ? known : [];
}

/** `{"accept":"text/html"}` and `["a","b"]`; anything else stays text. */
function structured(text: string): unknown {
  if (!/^[{[]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
