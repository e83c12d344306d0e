/** The one list of PostgreSQL advisory locks this program takes, so that no two meanings share a number. */
export const advisoryLocks = {
  migrate: 7_264_001,
  partitions: 7_264_002,
  challenges: 7_264_003,
} as const;
