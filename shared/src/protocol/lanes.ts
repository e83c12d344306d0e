// Separate from the codec, so that a thread that only counts need not load protobuf.

/** The two lanes of a spool: results of one-shot probes, and of monitors. */
export const lanes = ['task', 'check'] as const;
export type Lane = (typeof lanes)[number];
