import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { CheckReport } from '@vantage/shared/monitor-state/check-report.js';
import { CHECK_KIND } from '@vantage/shared/monitor-state/report-kinds.js';
import type { Knex } from 'knex';
import { checkDaysOf, type Delivered, storeChecks, type TakenCheck } from '../../src/modules/monitors/check-store.js';
import { defaultPlans } from '../../src/plans.js';
import { insertUser } from './stored-node.js';

/** A monitor in the database, with nodes that check it. */
export interface StoredMonitor {
  readonly id: string;
  readonly key: number;
  readonly userId: string;
}

/** Inserts a monitor and gives it to nodes; `columns` as in table monitors, without a `user_id` of a new user. */
export async function insertMonitor(
  db: Knex,
  nodeIds: readonly string[],
  columns: Readonly<Record<string, unknown>> = {},
): Promise<StoredMonitor> {
  const id = newId(idPrefixes.monitor);
  const userId = typeof columns['user_id'] === 'string' ? columns['user_id'] : await insertUser(db);
  const [row] = await db('monitors')
    .insert({
      id,
      user_id: userId,
      name: id,
      type: 'tcp',
      target: '127.0.0.1:9',
      interval_s: 60,
      config: '{}',
      node_selection: '{}',
      node_count: nodeIds.length,
      consecutive_fail: 2,
      consecutive_ok: 1,
      fail_node_quorum: '2/3',
      ...columns,
    })
    .returning(['key']);
  await db('monitor_states').insert({ monitor_id: id });
  if (nodeIds.length > 0)
    await db('monitor_assignments').insert(
      nodeIds.map((nodeId) => ({ monitor_id: id, node_id: nodeId, generation: 1 })),
    );
  return { id, key: row.key, userId };
}

/** A check as a node delivers it; `fields`: what of its report is not usual. */
export function aCheck(
  monitorId: string,
  nodeId: string,
  fields: Partial<CheckReport> & { readonly slot_ms: number },
): Delivered<CheckReport> {
  const outcome = fields.outcome ?? 'ok';
  return {
    nodeId,
    body: {
      monitor_id: monitorId,
      generation: 1,
      late_ms: 0,
      outcome,
      response_ms: outcome === 'failed' ? null : 12.5,
      status_code: null,
      error: outcome === 'ok' ? null : { code: 'tcp_refused', message: CHECK_KIND },
      state: null,
      through_ms: fields.slot_ms,
      ...fields,
    },
  };
}

/** Stores checks as they are stored when nodes deliver them. */
export function store(db: Knex, checks: readonly Delivered<TakenCheck>[]): Promise<string[]> {
  return storeChecks(db, checks, checkDaysOf(defaultPlans));
}
