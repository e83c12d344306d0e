import { CloseReasonCode } from '@vantage/shared/protocol/codec.js';
import { WS_CLOSE_BANNED, WS_CLOSE_DELETED } from '@vantage/shared/protocol/limits.js';

/** Every way a link can end. */
export type LinkEndKind =
  | 'banned'
  /** This node was deleted by its owner. */
  | 'deleted'
  /** The control plane speaks no version this old. */
  | 'upgrade_required'
  /**
   * No common version, and either not this agent's fault, or said by a peer that did not prove to be the control
   * plane.
   */
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
  /** Never opened: no route, refused, no TLS, no response. */
  | 'unreachable'
  /** Was open, and the socket closed without a reason. */
  | 'lost'
  | 'stopped';

export interface LinkEnd {
  readonly kind: LinkEndKind;
  /** Message for people; from the control plane where it sent one. */
  readonly message: string;
  /** The control plane asks to stay away this long. */
  readonly retryAfterMs: number;
  /** URLs to use instead, best first, as the control plane sent them. */
  readonly controlUrls: readonly string[];
  /** Time that the link was open, in milliseconds; 0: never. */
  readonly openMs: number;
}

const closeKinds: Readonly<Record<number, LinkEndKind>> = {
  [CloseReasonCode.CLOSE_BANNED]: 'banned',
  [CloseReasonCode.CLOSE_DELETED]: 'deleted',
  [CloseReasonCode.CLOSE_REPLACED]: 'replaced',
  [CloseReasonCode.CLOSE_DRAINING]: 'draining',
  [CloseReasonCode.CLOSE_UNAUTHENTICATED]: 'unauthenticated',
  [CloseReasonCode.CLOSE_UPGRADE_REQUIRED]: 'upgrade_required',
  [CloseReasonCode.CLOSE_PROTOCOL_ERROR]: 'protocol_error',
  [CloseReasonCode.CLOSE_CLONED]: 'cloned',
  [CloseReasonCode.CLOSE_OVERLOADED]: 'overloaded',
};

/** End of the link that a Close frame stands for; a reason this build does not know counts as a lost link. */
export function endOfCloseFrame(reason: number): LinkEndKind {
  return closeKinds[reason] ?? 'lost';
}

/** End of the link that a socket stands for that closed without a Close frame. */
export function endOfSocket(closeCode: number, wasOpen: boolean): LinkEndKind {
  if (closeCode === WS_CLOSE_BANNED) return 'banned';
  if (closeCode === WS_CLOSE_DELETED) return 'deleted';
  return wasOpen ? 'lost' : 'unreachable';
}
