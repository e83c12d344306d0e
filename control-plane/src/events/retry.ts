/** Attempts at an event before it is set aside. */
export const MAX_ATTEMPTS = 8;
const FIRST_WAIT_MS = 1_000;
const GROWTH = 4;
const LONGEST_WAIT_MS = 600_000;

/** Delay before the next attempt in milliseconds, after so many that failed; `firstMs` after the first; null if the event is set aside. */
export function waitAfter(failedAttempts: number, firstMs = FIRST_WAIT_MS): number | null {
  if (failedAttempts >= MAX_ATTEMPTS) return null;
  return Math.min(LONGEST_WAIT_MS, firstMs * GROWTH ** (failedAttempts - 1));
}

/** Time for which an event is left to the process that has begun this attempt at it. */
export function leaseOf(attempt: number, firstMs = FIRST_WAIT_MS): number {
  return waitAfter(attempt, firstMs) ?? LONGEST_WAIT_MS;
}

const REASON_LENGTH = 500;

/** Why an attempt failed, for operators: the end of the message, because errors of statements begin with their text. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.length <= REASON_LENGTH ? message : `…${message.slice(1 - REASON_LENGTH)}`;
}
