import { EntryError } from './entry.js';
import type { Fields } from './fields.js';
import { parseGoDuration } from './go-duration.js';

/** A field with a duration of Go; null: there is none. @throws EntryError */
export function milliseconds(fields: Fields, field: string): number | null {
  const text = fields.text(field);
  if (text === null) return null;
  const ms = parseGoDuration(text);
  if (ms === null)
    throw new EntryError(fields.nameOf(field), 'format', 'must be a duration with a unit, as 60s or 1h30m');
  return ms;
}
