import type { Locale } from './locale.js';

/** Language and clock of the people who read a text. */
export interface Reader {
  readonly locale: Locale;
  /** IANA name. */
  readonly timezone: string;
}

const formats = new Map<string, Intl.DateTimeFormat>();
/** Greatest number of formats kept: as many as time zones that are in use. */
const MAX_FORMATS = 600;

const digits = {
  calendar: 'gregory',
  numberingSystem: 'latn',
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
} as const;

/** An instant by the clocks of a time zone: `2026-11-21 17:16`. Milliseconds since the epoch, IANA name. */
export function localInstant(atMs: number, timezone: string): string {
  const format = formatOf(
    `digits ${timezone}`,
    () => new Intl.DateTimeFormat('en-CA', { timeZone: timezone, ...digits }),
  );
  const parts = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
  return `${parts['year']}-${parts['month']}-${parts['day']} ${parts['hour']}:${parts['minute']}`;
}

/** An instant in words, by the clocks of its reader: `November 21, 2026, 17:16 (Asia/Shanghai)`. Milliseconds since the epoch. */
export function instantText(atMs: number, { locale, timezone }: Reader): string {
  const words = { timeZone: timezone, calendar: 'gregory', dateStyle: 'long' } as const;
  const date = formatOf(`${locale} ${timezone}`, () => new Intl.DateTimeFormat(locale, words)).format(atMs);
  return `${date}${locale === 'en' ? ', ' : ' '}${timeText(atMs, { locale, timezone })}`;
}

/** The same without its date: `17:16 (Asia/Shanghai)`. */
export function timeText(atMs: number, { locale, timezone }: Reader): string {
  const time = localInstant(atMs, timezone).slice(11);
  const zone = timezone === 'Etc/UTC' ? 'UTC' : timezone;
  return locale === 'en' ? `${time} (${zone})` : `${time}（${zone}）`;
}

function formatOf(key: string, make: () => Intl.DateTimeFormat): Intl.DateTimeFormat {
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = make();
  if (formats.size < MAX_FORMATS) formats.set(key, made);
  return made;
}
