import type { AddNote } from '../entry/entry.js';
import type { Fields } from '../entry/fields.js';

/** Timing of a monitor of Uptime Kuma, in addition to the fields of its type. */
export interface KumaTiming {
  readonly note: AddNote;
  readonly intervalSeconds: number;
  readonly retries: { readonly consecutiveFail: number; readonly graceSeconds: number };
}

const MOST_SECONDS = 30;

/** Timeout of a check; absent: the default of the type. */
export function timeoutOf(fields: Fields, { note }: KumaTiming, least: number): { timeout_ms?: number } {
  const seconds = fields.number('timeout');
  if (seconds === null || seconds <= 0) return {};
  if (seconds > MOST_SECONDS)
    note('timeout', `${seconds} s was changed to ${MOST_SECONDS} s, the longest duration of a check`);
  return { timeout_ms: Math.max(least, Math.round(Math.min(seconds, MOST_SECONDS) * 1_000)) };
}
