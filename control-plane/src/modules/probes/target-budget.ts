// One budget over all nodes and replicas, so that the network of nodes can't be used for an attack. Exempt targets (the
// operator's own ranges) have no budget, so a private deployment does not pay for these rows.

/** Probes per second that a target gets. TARGET_BURST: greatest number that accumulates. */
export const TARGET_RATE_PER_SECOND = 10;
export const TARGET_BURST = 50;
/** Greatest number of nodes that work on one target at once. */
export const TARGET_MAX_AT_ONCE = 30;

/** A bucket as stored. */
export interface Bucket {
  readonly tokens: number;
  readonly ageSeconds: number;
}

/** Tokens in a bucket now. Pure. */
export function refill({ tokens, ageSeconds }: Bucket): number {
  return Math.min(TARGET_BURST, tokens + Math.max(0, ageSeconds) * TARGET_RATE_PER_SECOND);
}

/** Number of nodes requested for a target, and the tokens that each of them takes. */
export interface Demand {
  readonly nodes: number;
  readonly weight: number;
}

/** Number of nodes that a target may get, given the tokens and the work in flight of each of its keys. Pure. */
export function grant({ nodes, weight }: Demand, keys: readonly { tokens: number; inFlight: number }[]): number {
  const limits = keys.map(({ tokens, inFlight }) =>
    Math.min(Math.floor(tokens / weight), TARGET_MAX_AT_ONCE - inFlight),
  );
  return Math.max(0, Math.min(nodes, ...limits));
}
