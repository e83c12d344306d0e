import type { Attempt } from '../deliveries/attempt.js';
import { delayAfter } from './retry-schedule.js';

/** Response to an attempt, or the reason why there was none. */
export type Reply =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly retryAfterMs: number | null;
      /** Value of the header `webhook-delivery`; null if absent. */
      readonly command: string | null;
      /** True if the reply is success: 2xx. */
      readonly isSuccess: boolean;
    }
  | { readonly kind: 'none'; readonly message: string };

/** State of a delivery after an attempt. */
export interface Outcome {
  readonly status: 'delivered' | 'retrying' | 'failed';
  /** Delay before the next attempt; null if there is none. */
  readonly delayMs: number | null;
  /** Reason of the failure; null on success. */
  readonly error: string | null;
  /** True if the endpoint wants no events any more: status 410. */
  readonly isGone: boolean;
  /** True if the endpoint did not reply. */
  readonly isSlow: boolean;
}

/** Value of response header `webhook-delivery` that ends the attempts at an event. */
const ABORT = 'abort-message';

/** Decides what follows an attempt. `attempt`: its number, from 1. `random`: from 0 to 1. */
export function judgeReply(
  reply: Reply,
  { attempt, random }: { readonly attempt: number; readonly random: number },
): Outcome {
  const base = { isGone: false, isSlow: reply.kind === 'none' };
  if (reply.kind === 'response' && reply.isSuccess) return { ...base, status: 'delivered', delayMs: null, error: null };
  const error = reply.kind === 'response' ? `status ${reply.status}` : reply.message;
  const isGone = reply.kind === 'response' && reply.status === 410;
  const isAborted = reply.kind === 'response' && reply.command?.trim().toLowerCase() === ABORT;
  const requestedMs = reply.kind === 'response' ? reply.retryAfterMs : null;
  const delayMs = isGone || isAborted ? null : delayAfter(attempt, { requestedMs, random });
  return { ...base, status: delayMs === null ? 'failed' : 'retrying', delayMs, error, isGone };
}

/** Result of an attempt. */
export interface Result {
  readonly attempt: Attempt;
  readonly outcome: Outcome;
}
