import type { SelfTestCheck } from '@vantage/shared/self-test.js';

/** What the lab tells the control plane of its agent. */
export type ToPeer =
  | { readonly kind: 'job'; readonly taskId: string; readonly probeType: string; readonly specJson: string }
  /** What the agent is to check its network with. */
  | { readonly kind: 'canaries'; readonly canaries: readonly string[] }
  /** From now on the newest so many results are sent again and again; 0 ends that. */
  | { readonly kind: 'replay'; readonly rows: number };

/** What that control plane tells the lab. */
export type FromPeer =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'linked' }
  | { readonly kind: 'result'; readonly taskId: string; readonly resultJson: string }
  | { readonly kind: 'self-test'; readonly checks: readonly SelfTestCheck[] }
  /** How many results were sent again, once that ended. */
  | { readonly kind: 'replayed'; readonly rows: number };
