import type { AddNote } from './entry.js';
import type { Fields } from './fields.js';

/** What is known of a monitor of Uptime Kuma beside the fields of its type. */
export interface KumaTiming {
  readonly note: AddNote;
  readonly intervalSeconds: number;
  readonly retries: { readonly consecutiveFail: number; readonly graceSeconds: number };
}

const MOST_SECONDS = 30;

/** How long a check may take; without one the default of the type. */
export function timeoutOf(fields: Fields, { note }: KumaTiming, least: number): { timeout_ms?: number } {
  const seconds = fields.number('timeout');
  if (seconds === null || seconds <= 0) return {};
  if (seconds > MOST_SECONDS) note('timeout', `${seconds} s become ${MOST_SECONDS} s: no check takes longer here`);
  return { timeout_ms: Math.max(least, Math.round(Math.min(seconds, MOST_SECONDS) * 1_000)) };
}
