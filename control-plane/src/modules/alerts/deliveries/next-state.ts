import type { MessageKind } from '../types/message.js';
import type { EndReason } from './needed.js';
import { delayAfter, lifeMsOf, requestedDelay } from './schedule.js';

// pending ──> sending ──> sent
//                ├──────> retrying ──> sending …       failed, or in its plain form after its markup was refused
//                ├──────> dead                         refused, or its time is over
//                └──────> dropped                      not needed, or it may not be sent

/** States of a delivery; part of the public API. */
export const deliveryStatuses = ['pending', 'sending', 'retrying', 'sent', 'dead', 'dropped'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Result of an attempt, as far as the next state depends on it. */
export type AttemptResult =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'retry'; readonly retryAfterMs: number | null; readonly isOfVendor?: true }
  | { readonly kind: 'refused'; readonly of: 'message' | 'recipient' | 'channel' };

/** Delivery at the end of an attempt. */
export interface Tried {
  readonly kind: MessageKind;
  readonly createdAtMs: number;
  /** Attempts, this one included. */
  readonly tries: number;
  readonly isPlain: boolean;
}

/** State that follows. */
export type NextState =
  | { readonly status: 'sent' }
  | { readonly status: 'dead'; readonly reason: EndReason }
  | { readonly status: 'retrying'; readonly nextAttemptAtMs: number; readonly isPlain: boolean };

/** Decides how a delivery goes on after an attempt. `random`: 0 to 1. */
export function decideNext(tried: Tried, result: AttemptResult, at: { nowMs: number; random: number }): NextState {
  switch (result.kind) {
    case 'accepted':
      return { status: 'sent' };
    case 'refused':
      if (result.of === 'message' && !tried.isPlain)
        return { status: 'retrying', nextAttemptAtMs: at.nowMs, isPlain: true };
      return { status: 'dead', reason: 'refused' };
    case 'retry': {
      const nextAttemptAtMs = at.nowMs + delayAfter(tried.tries, at.random, requestedDelay(result));
      const endsAtMs = tried.createdAtMs + lifeMsOf(tried.kind);
      if (nextAttemptAtMs > endsAtMs) return { status: 'dead', reason: 'expired' };
      return { status: 'retrying', nextAttemptAtMs, isPlain: tried.isPlain };
    }
  }
}
