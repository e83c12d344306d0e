import { type Clock, delay } from '@vantage/shared/clock.js';
import type { CloseReasonCode } from '@vantage/shared/protocol/codec.js';
import { WS_CLOSE_BANNED, WS_CLOSE_LINK } from '@vantage/shared/protocol/limits.js';

/** Why a link is closed, by its name on the wire. */
export type CloseReason = keyof typeof CloseReasonCode;

/** What an agent is told beside the reason. */
export interface CloseAdvice {
  /** To stay away this long. */
  readonly retryAfterMs?: number;
  /** Where to go instead, best first. */
  readonly controlUrls?: readonly string[];
  /** Which versions would be spoken here, signed. */
  readonly protocolVersions?: readonly number[];
  readonly serverSignature?: Uint8Array;
}

/** Milliseconds after which pending work is lost when an agent's socket closes, and when its replica goes away. */
export const LINK_GRACE_MS = { agentGone: 2_000, replicaGone: 15_000 };

// it is this replica that goes away, for good or until its storage is back: the agent still has its work
const invitesBack = new Set<CloseReason>(['CLOSE_DRAINING', 'CLOSE_OVERLOADED']);
const RECORD_RETRY_MS = 1_000;

/** Milliseconds after which work is lost that a link closed for this reason leaves. */
export function graceOf(reason: CloseReason): number {
  return invitesBack.has(reason) ? LINK_GRACE_MS.replicaGone : LINK_GRACE_MS.agentGone;
}

/** The code that closes the WebSocket itself. */
export function socketCodeOf(reason: CloseReason): number {
  return reason === 'CLOSE_BANNED' ? WS_CLOSE_BANNED : WS_CLOSE_LINK;
}

/** Tries until the database knows of a closed link; when this replica ends first, the others notice by its lease. */
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
