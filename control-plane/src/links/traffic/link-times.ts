/** Interval between two heartbeats of an agent, in milliseconds. */
export const HEARTBEAT_MS = 15_000;
/** Interval while the agent has much to deliver, in milliseconds. */
export const BUSY_HEARTBEAT_MS = 1_000;
/** Time without contact to its control plane after which a node stops checking. */
export const LEASE_SECONDS = 86_400;
