import { definitionOf, type ProbeType } from '@vantage/shared/probe-types/index.js';
import { compileCoercingSchema } from '@vantage/shared/validation.js';
import { CommandError } from '../exit-codes.js';

/** Parameters from `name=value` words: strings become what the schema asks for, JSON where a value is an object. */
export function parseProbeParams(type: ProbeType, words: readonly string[]): Record<string, unknown> {
  const params: Record<string, unknown> = Object.create(null);
  for (const word of words) {
    const equals = word.indexOf('=');
    if (equals <= 0) throw new CommandError('usage', `--param must be name=value, not "${word}"`);
    params[word.slice(0, equals)] = structured(word.slice(equals + 1));
  }
  const checked = compileCoercingSchema(definitionOf(type).Params)({ ...params });
  if (checked.ok) return checked.value as Record<string, unknown>;
  const complaints = Object.entries(checked.details).map(
    ([field, errors]) => `${field} ${errors.map((error) => error.message).join(', ')}`,
  );
  throw new CommandError('usage', `--param: ${complaints.join('; ')}`);
}

/** `{"accept":"text/html"}` for parameters that are objects; anything else stays text. */
function structured(text: string): unknown {
  if (!text.startsWith('{')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
