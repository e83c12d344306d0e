import { signal } from '@preact/signals';
import { person } from '../api/session.js';
import { locale } from './locale.js';

/** True if times are shown in UTC, on this page. */
export const isUtc = signal(false);

/** Time zone in which times are shown: that of the profile, or of the browser. */
export function timeZone(): string {
  if (isUtc.value) return 'UTC';
  return person.value?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Date and time with the offset of the zone: `Nov 30, 2026, 14:05:09 GMT+1`. */
export function formatTime(at: string | number, zone = timeZone()): string {
  const options = { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23', timeZone: zone } as const;
  const text = new Intl.DateTimeFormat(locale.value, options).format(new Date(at));
  return `${text} ${offsetOf(new Date(at), zone)}`;
}

function offsetOf(at: Date, zone: string): string {
  if (zone === 'UTC') return zone;
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'shortOffset' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

/** Time of a mark on an axis that spans so many seconds: hours and minutes, or days. */
export function formatMark(at: Date, spanSeconds: number): string {
  const ofDay = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const ofMonth = { month: 'short', day: 'numeric' } as const;
  const options = spanSeconds > 2 * 86_400 ? ofMonth : ofDay;
  return new Intl.DateTimeFormat(locale.value, { ...options, timeZone: timeZone() }).format(at);
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Time from now to an instant, in its largest unit: `5 minutes ago`. */
export function formatRelative(at: string | number, now = Date.now()): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1_000);
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? units[3];
  return new Intl.RelativeTimeFormat(locale.value, { numeric: 'auto' }).format(Math.round(seconds / size), unit);
}

/** A length of time in at most two units: `1h 5m`. `seconds` at least 0. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  const parts = units.map(([unit, size], index) => {
    const above = units[index - 1]?.[1];
    return { unit, count: Math.floor((above === undefined ? whole : whole % above) / size) };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  const shown = first < 0 ? parts.slice(-1) : parts.slice(first, first + 2).filter(({ count }) => count > 0);
  return shown.map(({ unit, count }) => formatUnit(count, unit)).join(' ');
}

function formatUnit(count: number, unit: string): string {
  return new Intl.NumberFormat(locale.value, { style: 'unit', unit, unitDisplay: 'narrow' }).format(count);
}

export function formatNumber(value: number, digits = 0): string {
  return new Intl.NumberFormat(locale.value, { maximumFractionDigits: digits }).format(value);
}

/** Milliseconds with as many digits as matter: `8.4 ms`, `120 ms`. */
export function formatMs(value: number): string {
  return `${formatNumber(value, value < 10 ? 1 : 0)} ms`;
}

/** Percent of a number from 0 to 100. */
export function formatPercent(value: number, digits = 2): string {
  return `${formatNumber(value, digits)} %`;
}

/** Name of a country or region by its ISO 3166 code. */
export function countryName(code: string): string {
  try {
    return new Intl.DisplayNames(locale.value, { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** Text from elsewhere, whose invisible and direction-changing characters are shown as escapes. */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** Argument of a POSIX shell, quoted where it must be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
