import type { Locale } from '../../../http/locale.js';
import { type Label, labelText } from './labels.js';

const DAY_S = 86_400;
const YEAR_S = 365.25 * DAY_S;

/** Units, each with the seconds from which it is used. */
const units = [
  { unit: 'year', from: 2 * YEAR_S, seconds: YEAR_S },
  { unit: 'day', from: 2 * DAY_S, seconds: DAY_S },
  { unit: 'hour', from: 7_200, seconds: 3_600 },
  { unit: 'minute', from: 120, seconds: 60 },
  { unit: 'second', from: 0, seconds: 1 },
] as const;

/** Values in the words of a language. */
export interface Words {
  readonly locale: Locale;
  readonly label: (label: Label) => string;
  /** Null if unknown. */
  readonly yesNo: (value: boolean | null) => string | null;
  /** Day of an instant, and the time until it or since it: `2027-01-10 (in 41 days)`. */
  readonly date: (instant: string | null) => string | null;
  /** Time until an instant: `in 41 days`. */
  readonly until: (instant: string) => string;
  /** `5 minutes`. */
  readonly duration: (seconds: number) => string;
}

/** Words of a language at an instant, in milliseconds since the epoch. */
export function wordsOf(locale: Locale, nowMs: number): Words {
  const relative = new Intl.RelativeTimeFormat(locale);
  const until = (instant: string) => {
    const { unit, count } = inUnit((Date.parse(instant) - nowMs) / 1_000);
    return relative.format(count, unit);
  };
  const label = (name: Label) => labelText(name, locale);
  return {
    locale,
    label,
    yesNo: (value) => (value === null ? null : label(value ? 'yes' : 'no')),
    date: (instant) => (instant === null ? null : `${instant.slice(0, 10)} (${until(instant)})`),
    until,
    duration: (seconds) => {
      const { unit, count } = inUnit(seconds);
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
    },
  };
}

/** Whole units of a number of seconds, in the direction of zero. */
function inUnit(seconds: number) {
  const { unit, seconds: one } = units.find(({ from }) => Math.abs(seconds) >= from) ?? units[4];
  return { unit, count: Math.trunc(seconds / one) };
}
