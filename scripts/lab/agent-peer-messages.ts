import type { SelfTestCheck } from '@vantage/shared/self-test.js';

/** One result as it came. */
export interface ReceivedRow {
  readonly sequence: number;
  readonly taskId: string;
  /** Offset of the agent's clock as the agent knows it; both machines have the same clock. */
  readonly clockOffsetMs: number;
  readonly uncertaintyMs: number;
}

/** One heartbeat as it came. */
export interface ReceivedHeartbeat {
  /** Results that were not acknowledged when it was sent. */
  readonly spoolRows: number;
  /** Results that had come when it came. */
  readonly receivedRows: number;
}

/** Messages from the lab to the control plane of its agent. */
export type ToPeer =
  | { readonly kind: 'job'; readonly taskId: string; readonly probeType: string; readonly specJson: string }
  /** Canaries for the agent's self-test. */
  | { readonly kind: 'canaries'; readonly canaries: readonly string[] }
  /** Rows that may be in flight. */
  | { readonly kind: 'credits'; readonly rows: number }
  /** Ends the link without a word. */
  | { readonly kind: 'hang-up' };

/** Messages from that control plane to the lab. */
export type FromPeer =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'hello' }
  | { readonly kind: 'linked' }
  | ({ readonly kind: 'result'; readonly resultJson: string } & ReceivedRow)
  /** Rows that had arrived before arrived again, over any link, without a request. */
  | { readonly kind: 'resent'; readonly rows: number }
  | ({ readonly kind: 'heartbeat' } & ReceivedHeartbeat)
  | { readonly kind: 'self-test'; readonly checks: readonly SelfTestCheck[] };
