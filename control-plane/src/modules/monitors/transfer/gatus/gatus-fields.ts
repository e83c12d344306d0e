import { EntryError } from '../entry/entry.js';
import type { Fields } from '../entry/fields.js';
import { parseGoDuration } from './go-duration.js';

/** Go duration in a field, in milliseconds, or null. @throws EntryError */
export function milliseconds(fields: Fields, field: string): number | null {
  const text = fields.text(field);
  if (text === null) return null;
  const ms = parseGoDuration(text);
  if (ms === null)
    throw new EntryError(fields.nameOf(field), 'format', 'must be a duration with a unit, for example 60s or 1h30m');
  return ms;
}
