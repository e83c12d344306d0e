import { type Clock, delay } from '@vantage/shared/clock.js';
import type { CloseReasonCode } from '@vantage/shared/protocol/codec.js';
import { WS_CLOSE_BANNED, WS_CLOSE_DELETED, WS_CLOSE_LINK } from '@vantage/shared/protocol/limits.js';

/** Reason why a link is closed, by its name on the wire. */
export type CloseReason = keyof typeof CloseReasonCode;

/** Advice to the agent, in addition to the reason. */
export interface CloseAdvice {
  /** Delay before the agent reconnects, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Addresses to connect to instead, best first. */
  readonly controlUrls?: readonly string[];
  /** Protocol versions that this program supports, signed. */
  readonly protocolVersions?: readonly number[];
  readonly serverSignature?: Uint8Array;
}

/** Milliseconds after which pending work is lost when an agent's socket closes, and when its replica goes away. */
export const LINK_GRACE_MS = { agentGone: 2_000, replicaGone: 15_000 };

// this replica ends, or its storage is unavailable: the agent still has its work
const invitesBack = new Set<CloseReason>(['CLOSE_DRAINING', 'CLOSE_OVERLOADED']);
const RECORD_RETRY_MS = 1_000;

/** Milliseconds after which the work of a link closed for this reason is lost. */
export function graceOf(reason: CloseReason): number {
  return invitesBack.has(reason) ? LINK_GRACE_MS.replicaGone : LINK_GRACE_MS.agentGone;
}

/** Code in the WebSocket's own Close frame. */
export function socketCodeOf(reason: CloseReason): number {
  if (reason === 'CLOSE_DELETED') return WS_CLOSE_DELETED;
  return reason === 'CLOSE_BANNED' ? WS_CLOSE_BANNED : WS_CLOSE_LINK;
}

/** Retries until the database has noted a closed link; if this replica ends first, the others notice by its lease. */
export async function recordClose(
  clock: Clock,
  close: () => Promise<void>,
  onFailed: (error: unknown) => 'retry' | 'give up',
): Promise<void> {
  while (true) {
    try {
      return await close();
    } catch (error) {
      if (onFailed(error) === 'give up') return;
      await delay(clock, RECORD_RETRY_MS);
    }
  }
}
