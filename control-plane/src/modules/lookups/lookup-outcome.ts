import { ApiError } from '../../http/errors.js';
import type { Answer, Judgment } from './answers/answer.js';
import type { FlightEnd } from './answers/answers.js';

/** Outcome of a lookup for one caller, as far as it is known. */
export type LookupOutcome =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly isHit: boolean }
  /** No answer can be had: an older one stands in, else the caller gets the error. */
  | { readonly kind: 'unavailable'; readonly error: unknown }
  | { readonly kind: 'refused'; readonly error: unknown }
  | { readonly kind: 'open' };

/** Outcome by what is kept of a question; open: it has to be asked. Pure. */
export function outcomeOfKept(judged: Judgment, nowMs: number): LookupOutcome {
  if (judged.use === 'answer') return { kind: 'answer', answer: judged.answer, isHit: true };
  if (judged.use === 'failure') return { kind: 'unavailable', error: failureOf(judged.failure, nowMs) };
  return { kind: 'open' };
}

/**
 * Outcome by the end of a flight; null if the caller waited for as long as a request may. Open: another caller began it, and
 * could not pay. Pure.
 */
export function outcomeOfFlight(end: FlightEnd | null, isOwn: boolean, nowMs: number): LookupOutcome {
  if (end === null) return { kind: 'unavailable', error: tooSlow() };
  if (end.kind === 'failed') return { kind: 'unavailable', error: end.error };
  if (end.kind === 'notPaid') return isOwn ? { kind: 'refused', error: end.error } : { kind: 'open' };
  if (end.answer.isFailure) return { kind: 'unavailable', error: failureOf(end.answer, nowMs) };
  return { kind: 'answer', answer: end.answer, isHit: false };
}

function failureOf({ body, freshUntilMs }: Answer, nowMs: number): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil((freshUntilMs - nowMs) / 1_000));
  const message =
    'message' in body ? `cannot be looked up: ${String(body.message)}` : 'cannot be looked up at the moment';
  return new ApiError('UNAVAILABLE', { retryAfterSeconds, details: { q: [{ code: 'not_found', message }] } });
}

function tooSlow(): ApiError {
  const message = 'the answer takes longer than a request may wait: send the request again';
  return new ApiError('UNAVAILABLE', { details: { q: [{ code: 'not_found', message }] } });
}
