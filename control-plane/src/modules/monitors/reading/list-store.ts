import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';
import type { Owner } from '../../../owners/index.js';
import type { Interval } from '../definition/interval.js';
import {
  filterClause,
  JOIN_STATES,
  type KnownMonitorRow,
  knownColumns,
  lastDay,
  type MonitorFilter,
} from '../definition/store.js';
import { type ListedEpisodes, listedEpisodes } from '../history/uptime-store.js';

export interface ListedMonitorRow extends KnownMonitorRow {
  /** Those that touch the range of the list. */
  readonly episodes: ListedEpisodes;
}

/** Orders of lists of monitors. `attention`: those that need a person first, then by name. */
export const monitorOrders = ['-created_at', 'name', 'attention', '-last_check_at'] as const;
export type MonitorOrder = (typeof monitorOrders)[number];

const orders: Readonly<Record<MonitorOrder, string>> = {
  '-created_at': 'm.id DESC',
  name: 'm.name, m.id',
  attention: `CASE m.status WHEN 'active' THEN array_position(ARRAY['down', 'degraded', 'unknown', 'up'], s.health) ELSE 5 END, m.name, m.id`,
  '-last_check_at': 'last_check_at DESC NULLS LAST, m.id DESC',
};

/** Page of an owner's monitors, in an order, with their episodes in a range, and the number of all. */
export async function listMonitors(
  db: Knex,
  page: {
    owner: Owner;
    filter: MonitorFilter;
    order: MonitorOrder;
    limit: number;
    offset: number;
    nowMs: number;
    uptimeOf: Interval;
  },
): Promise<{ rows: ListedMonitorRow[]; total: number }> {
  const { owner, filter, order, limit, offset, nowMs, uptimeOf } = page;
  const values = [limit, offset, new Date(uptimeOf.fromMs), new Date(uptimeOf.toMs)];
  const day = lastDay(nowMs);
  const { where, variant, bound } = filterClause(owner, filter, values.length);
  const counted = filterClause(owner, filter, 0);
  // states are joined to count only where the filter asks for them
  const states = filter.current_status === undefined ? '' : JOIN_STATES;
  // the subqueries keep a limit from making a plan for each value: planning takes as long as reading a page
  const statement = {
    // PostgreSQL cuts names off after 63 characters
    name: `monitors-list${variant}-o${monitorOrders.indexOf(order)}`,
    text: `SELECT ${knownColumns(day)}, ${listedEpisodes('$3', '$4')} AS episodes FROM monitors m ${JOIN_STATES} WHERE ${where}
      ORDER BY ${orders[order]} LIMIT (SELECT $1::bigint) OFFSET (SELECT $2::bigint)`,
    day,
  };
  const count = {
    name: `monitors-list-count${variant}`,
    text: `SELECT count(*)::int AS total FROM monitors m ${states} WHERE ${counted.where}`,
  };
  // at once: counting ten thousand takes as long as reading a page of them
  const [rows, [counts]] = await Promise.all([
    queryPrepared<ListedMonitorRow>(db, statement, [...values, ...bound]),
    queryPrepared<{ total: number }>(db, count, counted.bound),
  ]);
  return { rows, total: counts?.total ?? 0 };
}
