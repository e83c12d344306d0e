// One budget over all nodes and replicas, so that the network of nodes can't be used for an attack. Exempt targets (the
// operator's own ranges) have no budget, so a private deployment does not pay for these rows.

/** Probes per second that a target gets. TARGET_BURST: greatest number that accumulates. */
export const TARGET_RATE_PER_SECOND = 10;
export const TARGET_BURST = 50;
/** Greatest number of nodes that work on one target at once. */
export const TARGET_MAX_AT_ONCE = 30;
/** Code of a node task for which the budget of its target had no room. */
export const TARGET_RATE_LIMITED = 'target_rate_limited';
