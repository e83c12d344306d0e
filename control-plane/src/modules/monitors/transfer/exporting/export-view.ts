import { MASK } from '../../definition/settings.js';
import { HEARTBEAT } from '../../definition/type-names.js';
import type { ExportMonitor } from './export-schema.js';
import type { ExportRow } from './export-store.js';

export function exportView(row: ExportRow): ExportMonitor {
  const { limit: _, ...selection } = row.node_selection;
  const { config, leftOut } = withoutMasks(row.config);
  const { consecutive_fail, consecutive_ok, fail_node_quorum } = row;
  const byNodes = {
    node_selection: selection,
    trigger_rule: { consecutive_fail, consecutive_ok, fail_node_quorum },
  };
  return {
    name: row.name,
    type: row.type,
    // the token of a heartbeat is not exported
    target: row.type === HEARTBEAT ? '' : row.target,
    interval_s: row.interval_s,
    node_count: row.node_count,
    tags: [...row.tags],
    group: row.group_name ?? '',
    ...(Object.keys(config).length === 0 ? {} : { config }),
    ...(leftOut.length === 0 ? {} : { secrets_left_out: leftOut }),
    ...(row.type === HEARTBEAT ? {} : byNodes),
    alert_severity: row.alert_severity,
    notify_owner: row.notifies_owner,
  };
}

/** Settings without masked secrets, which are members of members, and the paths of these secrets. */
function withoutMasks(config: Readonly<Record<string, unknown>>) {
  const leftOut: string[] = [];
  const entries = Object.entries(config).map(([parent, value]) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [parent, value];
    const members = Object.entries(value).filter(([name, member]) => {
      if (member !== MASK) return true;
      leftOut.push(`${parent}.${name}`);
      return false;
    });
    return [parent, Object.fromEntries(members)];
  });
  return { config: Object.fromEntries(entries) as Record<string, unknown>, leftOut: leftOut.sort() };
}
