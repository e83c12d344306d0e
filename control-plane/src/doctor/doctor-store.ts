import type { Knex } from 'knex';
import type { AgentVersion } from './judgements.js';

/** Version and clock of the database. @throws errors of the database, and one if it is read-only */
export async function readServer(db: Knex): Promise<{ version: string; nowMs: number }> {
  const { rows } = await db.raw<{ rows: [{ version: string; now: Date }] }>(
    "SELECT split_part(current_setting('server_version'), ' ', 1) AS version, clock_timestamp() AS now",
  );
  return { version: rows[0].version, nowMs: rows[0].now.getTime() };
}

/** Number of replicas heard of within `withinMs`. */
export async function countReplicas(db: Knex, withinMs: number): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ alive: number }] }>(
    "SELECT count(*)::int AS alive FROM replicas WHERE heartbeat_at > now() - ? * interval '1 millisecond'",
    [withinMs],
  );
  return rows[0].alive;
}

/** Nodes of all owners by the version of their agents, most first. */
export async function countAgentVersions(db: Knex): Promise<{ versions: AgentVersion[]; refused: number }> {
  const { rows } = await db.raw<{ rows: (AgentVersion & { refused: number })[] }>(`
    SELECT agent_version AS version, count(*)::int AS nodes, count(session_id)::int AS online,
           count(version_refused)::int AS refused
    FROM nodes WHERE deleted_at IS NULL AND banned_at IS NULL GROUP BY 1 ORDER BY 2 DESC, 1`);
  return { versions: rows, refused: rows.reduce((sum, { refused }) => sum + refused, 0) };
}
