import type { Limit } from '../http/rate-limit.js';

/** A stretch of time a limit counts over, in milliseconds since the epoch, on whole seconds. */
export interface Window {
  readonly startsAt: number;
  /** The first millisecond that is no part of it. */
  readonly endsAt: number;
}

const DAY_MS = 86_400_000;

/** True if a limit is a quota: counted by the calendar day or month in UTC. */
export function isQuota({ windowMs }: Limit): boolean {
  return windowMs === 'month' || windowMs >= DAY_MS;
}

/**
 * Window of a limit that runs at `nowMs`. Windows shorter than a day begin at a second that depends on the key:
 * otherwise all callers that wait for a new minute would come back in the same second.
 */
export function windowAt(limit: Limit, nowMs: number): Window {
  const { key, windowMs } = limit;
  if (windowMs === 'month') return monthAt(nowMs);
  const offsetMs = isQuota(limit) ? 0 : (hash(key) % (windowMs / 1_000)) * 1_000;
  const startsAt = Math.floor((nowMs - offsetMs) / windowMs) * windowMs + offsetMs;
  return { startsAt, endsAt: startsAt + windowMs };
}

function monthAt(nowMs: number): Window {
  const now = new Date(nowMs);
  const first = (months: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months);
  return { startsAt: first(0), endsAt: first(1) };
}

/**
 * True if a window is the one to count in at `nowMs`. That includes the next window: another replica, whose clock is a
 * little ahead, has begun it. A window further ahead was left behind by a clock that was wrong.
 */
export function isCurrent({ startsAt, endsAt }: Window, nowMs: number): boolean {
  return nowMs < endsAt && nowMs >= startsAt - (endsAt - startsAt);
}

/** FNV-1a, 32 bits: the same on every replica. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}
