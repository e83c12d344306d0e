import type { SelfTestCheck } from '@vantage/shared/self-test.js';

/** One result as it came. */
export interface ReceivedRow {
  readonly sequence: number;
  readonly taskId: string;
  /** Of its times, as the agent knows them; both machines have the same clock. */
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

/** What the lab tells the control plane of its agent. */
export type ToPeer =
  | { readonly kind: 'job'; readonly taskId: string; readonly probeType: string; readonly specJson: string }
  /** What the agent is to check its network with. */
  | { readonly kind: 'canaries'; readonly canaries: readonly string[] }
  /** Rows that may be in flight. */
  | { readonly kind: 'credits'; readonly rows: number }
  /** Ends the link without a word. */
  | { readonly kind: 'hang-up' }
  /** From now on the newest so many results are sent again and again; 0 ends that. */
  | { readonly kind: 'replay'; readonly rows: number };

/** What that control plane tells the lab. */
export type FromPeer =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'hello' }
  | { readonly kind: 'linked' }
  | ({ readonly kind: 'result'; readonly resultJson: string } & ReceivedRow)
  /** Rows that had come before came again, over whatever link, and nobody had asked for that. */
  | { readonly kind: 'resent'; readonly rows: number }
  | ({ readonly kind: 'heartbeat' } & ReceivedHeartbeat)
  | { readonly kind: 'self-test'; readonly checks: readonly SelfTestCheck[] }
  /** How many results were sent again, once that ended. */
  | { readonly kind: 'replayed'; readonly rows: number };
