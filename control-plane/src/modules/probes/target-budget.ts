// One budget over all nodes and replicas, so that the network can't be aimed at somebody. Exempt targets (the
// operator's own ranges) never come here, so that the rows below cost the common road of a private deployment nothing.

/** Probes per second a target gets, and how many may be saved up. */
export const TARGET_RATE_PER_SECOND = 10;
export const TARGET_BURST = 50;
/** Nodes that may work on one target at once. */
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

/** Nodes that are to work on a target, and the tokens that each of them takes. */
export interface Demand {
  readonly nodes: number;
  readonly weight: number;
}

/** How many of the nodes a target may get, given the tokens and the work in flight of each of its keys. Pure. */
export function grant({ nodes, weight }: Demand, keys: readonly { tokens: number; inFlight: number }[]): number {
  const limits = keys.map(({ tokens, inFlight }) =>
    Math.min(Math.floor(tokens / weight), TARGET_MAX_AT_ONCE - inFlight),
  );
  return Math.max(0, Math.min(nodes, ...limits));
}
