import type { Found } from './lookup.js';

/** Time for which a failure of a third party is kept, where it names none, in milliseconds. */
export const THIRD_PARTY_FAILED_MS = 30_000;

/** Failure of a third party that was asked about a target. */
export function thirdPartyFailed(message: string, freshMs = THIRD_PARTY_FAILED_MS): Found {
  return { isFailure: true, message, freshMs };
}
