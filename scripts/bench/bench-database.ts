import type { openDatabase } from 'vantage-control/db/database.js';

/** Pool or transaction that calls parts of the control plane for a benchmark. */
export type BenchDatabase = ReturnType<typeof openDatabase>;
