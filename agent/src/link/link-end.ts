import { CloseReasonCode } from '@vantage/shared/protocol/codec.js';
import { WS_CLOSE_BANNED } from '@vantage/shared/protocol/limits.js';

/** Every way a link can end. */
export type LinkEndKind =
  | 'banned'
  /** The control plane speaks no version this old. */
  | 'upgrade_required'
  /** No common version, and not this agent's fault, or said by somebody who did not prove to be the control plane. */
  | 'no_common_version'
  | 'unauthenticated'
  /** The other side could not sign with the identity key this node pinned. */
  | 'wrong_server'
  | 'cloned'
  | 'replaced'
  | 'draining'
  | 'overloaded'
  | 'protocol_error'
  /** The spool began a new epoch: the next link says hello with it. */
  | 'new_epoch'
  /** Open, but nothing came for three heartbeats. */
  | 'silent'
  /** Never opened: no route, refused, no TLS, no answer. */
  | 'unreachable'
  /** Was open, and the socket closed without a reason. */
  | 'lost'
  | 'stopped';

export interface LinkEnd {
  readonly kind: LinkEndKind;
  /** For people; from the control plane where it said something. */
  readonly message: string;
  /** The control plane asks to stay away this long. */
  readonly retryAfterMs: number;
  /** Where it says to go instead, best first, as it said it. */
  readonly controlUrls: readonly string[];
  /** How long the link was open, milliseconds; 0: never. */
  readonly openMs: number;
}

const closeKinds: Readonly<Record<number, LinkEndKind>> = {
  [CloseReasonCode.CLOSE_BANNED]: 'banned',
  [CloseReasonCode.CLOSE_REPLACED]: 'replaced',
  [CloseReasonCode.CLOSE_DRAINING]: 'draining',
  [CloseReasonCode.CLOSE_UNAUTHENTICATED]: 'unauthenticated',
  [CloseReasonCode.CLOSE_UPGRADE_REQUIRED]: 'upgrade_required',
  [CloseReasonCode.CLOSE_PROTOCOL_ERROR]: 'protocol_error',
  [CloseReasonCode.CLOSE_CLONED]: 'cloned',
  [CloseReasonCode.CLOSE_OVERLOADED]: 'overloaded',
};

/** What a Close frame means; a reason this build does not know counts as a lost link. */
export function endOfCloseFrame(reason: number): LinkEndKind {
  return closeKinds[reason] ?? 'lost';
}

/** What a socket means that closed without a Close frame. */
export function endOfSocket(closeCode: number, wasOpen: boolean): LinkEndKind {
  if (closeCode === WS_CLOSE_BANNED) return 'banned';
  return wasOpen ? 'lost' : 'unreachable';
}
