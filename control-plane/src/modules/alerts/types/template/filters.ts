import { localInstant } from '../../../../http/instant-text.js';
import { cut } from '../formats/cut.js';

/** Change of a value. `timezone`: IANA name, for `date`. */
export type Filter = (value: string, timezone: string) => string;

const MAX_TRUNCATE = 16_384;

/** Filter `json`: a JSON string with its quotation marks. */
export const quoteJson: Filter = (value) => JSON.stringify(value);

const plainFilters: Readonly<Record<string, Filter>> = {
  json: quoteJson,
  upper: (value) => value.toUpperCase(),
  lower: (value) => value.toLowerCase(),
  date: (value, timezone) => {
    const ms = /^\d{4}-\d{2}-\d{2}T/.test(value) ? Date.parse(value) : Number.NaN;
    return Number.isNaN(ms) ? value : localInstant(ms, timezone);
  },
};

/** The filter of this name; null if there is none. */
export function parseFilter(written: string): Filter | null {
  if (Object.hasOwn(plainFilters, written)) return plainFilters[written] ?? null;
  const units = /^truncate:\s*(\d{1,5})$/.exec(written)?.[1];
  if (units === undefined || Number(units) < 1 || Number(units) > MAX_TRUNCATE) return null;
  return (value) => cut(value, Number(units));
}
