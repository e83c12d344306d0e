/** The one list of PostgreSQL advisory locks this program takes, so that no two meanings share a number. */
export const advisoryLocks = {
  migrate: 7_264_001,
  partitions: 7_264_002,
  challenges: 7_264_003,
  /** Held by the replica that makes roll-ups. */
  rollups: 7_264_010,
  /** NOTE: shared by the function rollups_closed_through. */
  rollupsClosed: 7_264_011,
} as const;
