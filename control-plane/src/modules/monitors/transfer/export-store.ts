import type { Knex } from 'knex';
import { filterClause, type MonitorFilter, type MonitorRow, type Owner } from '../store.js';

/** What of a monitor an export tells. */
export type ExportRow = Pick<
  MonitorRow,
  | 'name'
  | 'type'
  | 'target'
  | 'interval_s'
  | 'config'
  | 'tags'
  | 'node_selection'
  | 'node_count'
  | 'consecutive_fail'
  | 'consecutive_ok'
  | 'fail_node_quorum'
  | 'notifies_owner'
> & { readonly group_name: string | null };

/** The next monitors by name, of those a filter leaves. */
export async function listForExport(
  db: Knex,
  { owner, filter, after, limit }: { owner: Owner; filter: MonitorFilter; after: string; limit: number },
): Promise<ExportRow[]> {
  const { where, bindings } = filterClause(owner, filter);
  const { rows } = await db.raw<{ rows: ExportRow[] }>(
    `SELECT m.name, m.type, m.target, m.interval_s, m.config, m.tags, m.node_selection, m.node_count,
       m.consecutive_fail, m.consecutive_ok, m.fail_node_quorum, m.notifies_owner, g.name AS group_name
     FROM monitors m JOIN monitor_states s ON s.monitor_id = m.id LEFT JOIN monitor_groups g ON g.id = m.group_id
     WHERE ${where} AND m.name COLLATE "C" > :after ORDER BY m.name COLLATE "C" LIMIT :limit`,
    { ...bindings, after, limit },
  );
  return rows;
}
