import type { Knex } from 'knex';
import { queryPrepared } from '../../../../db/prepared.js';
import type { Owner } from '../../../../owners/index.js';
import { filterClause, type MonitorFilter, type MonitorRow } from '../../definition/store.js';

/** Columns of a monitor that an export contains. */
export type ExportRow = Pick<
  MonitorRow,
  | 'name'
  | 'type'
  | 'target'
  | 'interval_s'
  | 'config'
  | 'sealed_secrets'
  | 'tags'
  | 'node_selection'
  | 'node_count'
  | 'consecutive_fail'
  | 'consecutive_ok'
  | 'fail_node_quorum'
  | 'alert_severity'
  | 'notifies_owner'
> & { readonly group_name: string | null };

/** Next monitors by name, among those that match a filter. */
export async function listForExport(
  db: Knex,
  { owner, filter, after, limit }: { owner: Owner; filter: MonitorFilter; after: string; limit: number },
): Promise<ExportRow[]> {
  const { where, variant, bound } = filterClause(owner, filter, 2);
  const statement = {
    name: `monitors-export${variant}`,
    text: `SELECT m.name, m.type, m.target, m.interval_s, m.config, m.sealed_secrets, m.tags, m.node_selection, m.node_count,
       m.consecutive_fail, m.consecutive_ok, m.fail_node_quorum, m.alert_severity, m.notifies_owner, g.name AS group_name
     FROM monitors m JOIN monitor_states s ON s.monitor_id = m.id LEFT JOIN monitor_groups g ON g.id = m.group_id
     WHERE ${where} AND m.name COLLATE "C" > $1 ORDER BY m.name COLLATE "C" LIMIT $2::bigint`,
  };
  return queryPrepared<ExportRow>(db, statement, [after, limit, ...bound]);
}
