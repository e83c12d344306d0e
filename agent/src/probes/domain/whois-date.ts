import { isCalendarDate } from './registry-text.js';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** A date in any of the forms that registries write, ISO 8601; without a zone it is UTC. Null for what is none. */
export function parseWhoisDate(written: string): string | null {
  const text = written.trim();
  const iso =
    /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]+(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?/i.exec(
      text,
    );
  if (iso !== null) {
    const [, year, month, day, hour = '0', minute = '0', second = '0', zone = 'Z'] = iso;
    return dateOf([year, month, day, hour, minute, second].map(Number), zoneMinutes(zone));
  }
  const named = /^(\d{1,2})[- ]([A-Za-z]{3})[a-z]*[- ](\d{4})/.exec(text);
  if (named !== null)
    return dateOf([Number(named[3]), months.indexOf((named[2] ?? '').toLowerCase()) + 1, Number(named[1])]);
  const dayFirst = /^(\d{1,2})[./](\d{1,2})[./](\d{4})/.exec(text);
  if (dayFirst !== null) return dateOf([Number(dayFirst[3]), Number(dayFirst[2]), Number(dayFirst[1])]);
  const digits = /^(\d{4})(\d{2})(\d{2})(?!\d)/.exec(text);
  return digits === null ? null : dateOf(digits.slice(1).map(Number));
}

function zoneMinutes(zone: string): number {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  const offset = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? -offset : offset;
}

/** Date of these parts; null where no such day exists. */
function dateOf(parts: readonly number[], offsetMinutes = 0): string | null {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  const atMs = Date.UTC(year, month - 1, day, hour, minute, second);
  const isDay = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day && month >= 1 && month <= 12;
  const moved = atMs - offsetMinutes * 60_000;
  return isDay && isCalendarDate(moved) ? new Date(moved).toISOString() : null;
}
