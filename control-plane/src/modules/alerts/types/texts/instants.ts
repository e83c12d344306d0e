import type { Locale } from '../../../../http/locale.js';

const formats = new Map<string, Intl.DateTimeFormat>();
/** Greatest number of formats kept: as many as time zones that are in use. */
const MAX_FORMATS = 600;

/** An instant by the clocks of a time zone: `2026-11-21 17:16`. Milliseconds since the epoch, IANA name. */
export function localInstant(atMs: number, timezone: string): string {
  const parts = Object.fromEntries(
    formatOf(timezone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  );
  return `${parts['year']}-${parts['month']}-${parts['day']} ${parts['hour']}:${parts['minute']}`;
}

/** The same with its zone, and in UTC unless that is the zone: `2026-11-21 17:16 Asia/Shanghai (2026-11-21 09:16 UTC)`. */
export function instantText(atMs: number, timezone: string): string {
  const utc = `${localInstant(atMs, 'UTC')} UTC`;
  if (timezone === 'UTC' || timezone === 'Etc/UTC') return utc;
  return `${localInstant(atMs, timezone)} ${timezone} (${utc})`;
}

const DAY_MS = 86_400_000;

/**
 * An instant for a headline, to the second: `22:57:58 UTC`. More than a day from now it has its date: `2026-11-20 22:57:58 UTC`.
 * Milliseconds since the epoch, IANA name.
 */
export function headlineInstant(atMs: number, nowMs: number, timezone: string): string {
  const seconds = String(Math.floor(atMs / 1_000) % 60).padStart(2, '0');
  const text = `${localInstant(atMs, timezone)}:${seconds}`;
  const isNear = Math.abs(nowMs - atMs) < DAY_MS;
  return `${isNear ? text.slice(11) : text} ${timezone === 'Etc/UTC' ? 'UTC' : timezone}`;
}

const units: Readonly<Record<Locale, readonly [string, string, string, string]>> = {
  en: [' d', ' h', ' min', ' s'],
  'zh-CN': [' 天', ' 小时', ' 分钟', ' 秒'],
  'zh-TW': [' 天', ' 小時', ' 分鐘', ' 秒'],
};

/** A duration in its two greatest units: `2 h 5 min`. Milliseconds; less than zero counts as zero. */
export function durationText(durationMs: number, locale: Locale): string {
  const seconds = Math.max(0, Math.round(durationMs / 1_000));
  const counts = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ];
  const first = counts.findIndex((count) => count > 0);
  if (first === -1) return `0${units[locale][3]}`;
  const shown = [first, first + 1].filter((index) => (counts[index] ?? 0) > 0);
  return shown.map((index) => `${counts[index]}${units[locale][index]}`).join(' ');
}

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  if (formats.size < MAX_FORMATS) formats.set(timezone, made);
  return made;
}
