const HOUR_MS = 3_600_000;
/** Time of failing after which the owner is warned, and after which the endpoint is disabled. */
const WARNED_AFTER_MS = 24 * HOUR_MS;
const DISABLED_AFTER_MS = 120 * HOUR_MS;
/** Least time between the failures of two events that disable an endpoint. */
const APART_MS = 12 * HOUR_MS;

/** Health of an endpoint; instants in milliseconds since the epoch. */
export interface Health {
  /** First failure since the last success; null if there was none. */
  readonly failingSinceMs: number | null;
  /** Event of that failure. */
  readonly failingEvent: string | null;
  /** True if another event has failed since, twelve hours later at least. */
  readonly hasFailedAgain: boolean;
  /** Time when the owner was warned since the last success, or null. */
  readonly warnedAtMs: number | null;
  readonly lastSuccessAtMs: number | null;
  readonly lastFailureAtMs: number | null;
  /** True if the last attempt brought no response. */
  readonly isSlow: boolean;
}

/** An attempt that has ended. */
export interface Ended {
  readonly eventId: string;
  readonly atMs: number;
  readonly isSuccess: boolean;
  readonly isGone: boolean;
  readonly isSlow: boolean;
}

/** Consequence for the endpoint: nothing, a mail to its owner, or its end. */
export type Consequence = 'none' | 'warn' | 'disable-failing' | 'disable-gone';

/** Health after an attempt, and what follows from it. */
export function afterAttempt(
  health: Health,
  ended: Ended,
): { readonly health: Health; readonly consequence: Consequence } {
  const { atMs, eventId, isSuccess, isGone, isSlow } = ended;
  if (isSuccess) return { health: { ...healthy(health, atMs), isSlow }, consequence: 'none' };
  const failingSinceMs = health.failingSinceMs ?? atMs;
  const failingEvent = health.failingEvent ?? eventId;
  const isApart = eventId !== failingEvent && atMs - failingSinceMs >= APART_MS;
  const next = {
    ...health,
    failingSinceMs,
    failingEvent,
    hasFailedAgain: health.hasFailedAgain || isApart,
    lastFailureAtMs: Math.max(health.lastFailureAtMs ?? 0, atMs),
    isSlow,
  };
  const forMs = atMs - failingSinceMs;
  if (isGone) return { health: next, consequence: 'disable-gone' };
  if (forMs >= DISABLED_AFTER_MS && next.hasFailedAgain) return { health: next, consequence: 'disable-failing' };
  if (forMs < WARNED_AFTER_MS || next.warnedAtMs !== null) return { health: next, consequence: 'none' };
  return { health: { ...next, warnedAtMs: atMs }, consequence: 'warn' };
}

function healthy(health: Health, atMs: number): Health {
  return {
    ...health,
    failingSinceMs: null,
    failingEvent: null,
    hasFailedAgain: false,
    warnedAtMs: null,
    lastSuccessAtMs: Math.max(health.lastSuccessAtMs ?? 0, atMs),
  };
}
