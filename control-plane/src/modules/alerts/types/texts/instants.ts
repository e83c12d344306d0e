import { instantText, type Reader, timeText } from '../../../../http/instant-text.js';
import type { Locale } from '../../../../http/locale.js';

const DAY_MS = 86_400_000;

/** An instant in words, without its date if it is less than a day from now: `17:16 (Asia/Shanghai)`. Milliseconds since the epoch. */
export function clockText(atMs: number, nowMs: number, reader: Reader): string {
  return Math.abs(nowMs - atMs) < DAY_MS ? timeText(atMs, reader) : instantText(atMs, reader);
}

const units: Readonly<Record<Locale, readonly [string, string, string, string]>> = {
  en: [' days', ' h', ' min', ' s'],
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
  const text = shown.map((index) => `${counts[index]}${units[locale][index]}`).join(' ');
  return text.replace(/^1 days/, '1 day');
}
