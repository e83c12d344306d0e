import type { Knex } from 'knex';
import { instantLiteral } from '../../../db/literals.js';
import type { CheckRow } from '../checks/check-store.js';

/** State of a monitor, and when it was last changed. */
export interface StateRow {
  readonly id: string;
  readonly type: string;
  readonly owner_id: string;
  readonly is_test: boolean;
  readonly health: string;
  readonly changed_at: Date;
  readonly failing_nodes: readonly string[];
  readonly touched_at: Date;
}

/** States of monitors of owners that have changed since an instant. */
export async function readStates(db: Knex, ownerIds: readonly string[], since: Date): Promise<StateRow[]> {
  const { rows } = await db.raw<{ rows: StateRow[] }>(
    `SELECT m.id, m.type, m.owner_id, m.is_test, s.health, coalesce(s.changed_at, m.created_at) AS changed_at, s.failing_nodes, s.touched_at
       FROM monitor_states s JOIN monitors m ON m.id = s.monitor_id
       WHERE s.touched_at > :since AND m.owner_id = ANY(:ownerIds)`,
    { ownerIds: [...ownerIds], since },
  );
  return rows;
}

/** A check of one of several monitors, with its details. */
export interface NewCheckRow extends CheckRow {
  readonly monitor_key: number;
  readonly details: Record<string, unknown> | null;
}

/** Checks of monitors that were due since an instant, oldest first. */
export async function readNewChecks(db: Knex, keys: readonly number[], sinceMs: number): Promise<NewCheckRow[]> {
  const { rows } = await db.raw<{ rows: NewCheckRow[] }>(
    `SELECT c.monitor_key, c.at, c.late_ms, n.id AS node_id, c.response_ms, c.status_code, c.outcome, c.flags, c.error, d.details
       FROM monitor_checks c JOIN nodes n ON n.key = c.node_key
       LEFT JOIN check_details d ON (d.monitor_key, d.node_key) = (c.monitor_key, c.node_key) AND d.at = c.at AND d.at >= ${instantLiteral(sinceMs)}
       WHERE c.monitor_key = ANY(?) AND c.at >= ${instantLiteral(sinceMs)} ORDER BY c.at`,
    [[...keys]],
  );
  return rows;
}
