import type { Knex } from 'knex';
import { instantLiteral } from '../../../db/literals.js';
import { type PreparedStatement, queryPrepared } from '../../../db/prepared.js';

/** Measurements of a check as JSON text, with the key of the check. */
export interface DeliveredDetails {
  readonly nodeId: string;
  readonly monitorId: string;
  readonly slotMs: number;
  readonly details: string;
}

// details of monitors that the node does not have are not stored, like their checks; of a check reported twice the first counts
const STORE: PreparedStatement = {
  name: 'check-details-store',
  text: `
  INSERT INTO check_details (at, monitor_key, node_key, details)
  SELECT greatest(to_timestamp(g.slot_ms / 1000), m.created_at), m.key, n.key, g.details
  FROM unnest($1::text[], $2::text[], $3::float8[], $4::json[]) AS g(node_id, monitor_id, slot_ms, details)
  JOIN monitor_assignments a ON a.monitor_id = g.monitor_id AND a.node_id = g.node_id
  JOIN monitors m ON m.id = g.monitor_id
  JOIN nodes n ON n.id = g.node_id
  ON CONFLICT DO NOTHING`,
};

/** Stores details of checks that are stored in the same transaction. */
export async function storeDetails(trx: Knex, rows: readonly DeliveredDetails[]): Promise<void> {
  if (rows.length === 0) return;
  await queryPrepared(trx, STORE, [
    rows.map(({ nodeId }) => nodeId),
    rows.map(({ monitorId }) => monitorId),
    rows.map(({ slotMs }) => slotMs),
    rows.map(({ details }) => details),
  ]);
}

/** Details of checks, by `detailsKey`. */
export type DetailsByCheck = ReadonlyMap<string, Record<string, unknown>>;

/** Key of a check of one monitor. */
export function detailsKey({ node_id: nodeId, at }: { readonly node_id: string; readonly at: Date }): string {
  return `${nodeId} ${at.getTime()}`;
}

/** Details of the checks of a monitor that were due between two instants, both included. */
export async function readDetails(
  db: Knex,
  monitorKey: number,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<DetailsByCheck> {
  const { rows } = await db.raw<{ rows: { at: Date; node_id: string; details: Record<string, unknown> }[] }>(
    `SELECT d.at, n.id AS node_id, d.details FROM check_details d JOIN nodes n ON n.key = d.node_key
     WHERE d.monitor_key = ? AND d.at >= ${instantLiteral(fromMs)} AND d.at <= ${instantLiteral(toMs)}`,
    [monitorKey],
  );
  return new Map(rows.map((row) => [detailsKey(row), row.details]));
}
