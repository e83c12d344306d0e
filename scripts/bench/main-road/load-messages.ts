/** One load: probes of one kind, a number of them in flight all the time. */
export interface LoadOrder {
  readonly url: string;
  /** API key; null: without credentials. */
  readonly key: string | null;
  readonly type: string;
  readonly body: { readonly params?: object };
  readonly nodes: number;
  readonly inFlight: number;
  /** True if each probe names another resolver, whose budget it takes from: the target, on loopback, has none. */
  readonly takesBudget: boolean;
}

export type ToLoad =
  | ({ readonly kind: 'warm-up' } & LoadOrder)
  | ({ readonly kind: 'measure'; readonly seconds: number } & LoadOrder);

/** Probes that ended within a window; times from request to result in milliseconds. */
export interface LoadWindow {
  readonly count: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Rates of successive windows of one second; steady: the last three satisfy the rule. */
export interface WarmUp {
  readonly perSecond: readonly number[];
  readonly isSteady: boolean;
}

export type FromLoad =
  /** The window begins. */
  | { readonly kind: 'begun' }
  /** The window has ended; its last probes are still in flight. */
  | { readonly kind: 'ended'; readonly window: LoadWindow }
  | { readonly kind: 'warm'; readonly warmUp: WarmUp }
  /** Nothing of the order is in flight any more. */
  | { readonly kind: 'idle' }
  /** A request was refused or a probe did not succeed. */
  | { readonly kind: 'failed'; readonly message: string };
