import type { Knex } from 'knex';
import type { AgentSpool } from './agent-spool.js';

/** Contents of a node's newest heartbeat. */
export interface NodeVitals {
  readonly nodeId: string;
  readonly seenAt: Date;
  readonly spool: AgentSpool;
}

/** Stores heartbeats of many nodes in one statement; one that is older than the stored one changes nothing. */
export async function storeVitals(db: Knex, vitals: readonly NodeVitals[]): Promise<void> {
  if (vitals.length === 0) return;
  // sorted: two replicas that write the same rows must not wait for each other
  const sorted = [...vitals].sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
  await db.raw(
    `INSERT INTO node_vitals AS v (node_id, seen_at, spool)
     SELECT * FROM unnest(?::text[], ?::timestamptz[], ?::jsonb[])
     ON CONFLICT (node_id) DO UPDATE SET seen_at = excluded.seen_at, spool = excluded.spool
     WHERE v.seen_at < excluded.seen_at`,
    [
      sorted.map(({ nodeId }) => nodeId),
      sorted.map(({ seenAt }) => seenAt),
      sorted.map(({ spool }) => JSON.stringify(spool)),
    ],
  );
}
