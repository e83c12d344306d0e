/** The one list of PostgreSQL advisory locks this program takes, so that no two meanings share a number. */
export const advisoryLocks = {
  migrate: 7_264_001,
  partitions: 7_264_002,
  challenges: 7_264_003,
  /** Who makes roll-ups. */
  rollups: 7_264_010,
  /** NOTE: shared by a function of migration 0016. */
  rollupsClosed: 7_264_011,
} as const;
