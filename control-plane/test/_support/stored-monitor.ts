import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { CheckReport } from '@vantage/shared/monitor-state/check-report.js';
import { CHECK_KIND } from '@vantage/shared/monitor-state/report-kinds.js';
import type { Knex } from 'knex';
import {
  checkDaysOf,
  type Delivered,
  storeChecks,
  type TakenCheck,
} from '../../src/modules/monitors/checks/check-store.js';
import { defaultPlans } from '../../src/plans/index.js';
import { insertUser } from './stored-node.js';

/** A monitor in the database, with nodes that check it. */
export interface StoredMonitor {
  readonly id: string;
  readonly key: number;
  readonly userId: string;
}

/**
 * Inserts a monitor and assigns it to nodes, before a control plane can do so; `columns` as in table monitors, with a new
 * user unless `owner_id` is given.
 */
export async function insertMonitor(
  db: Knex,
  nodeIds: readonly string[],
  columns: Readonly<Record<string, unknown>> = {},
): Promise<StoredMonitor> {
  const userId = typeof columns['owner_id'] === 'string' ? columns['owner_id'] : await insertUser(db);
  return db.transaction(async (trx) => {
    const [stored] = await insertMonitors(trx, userId, [{ node_count: nodeIds.length, ...columns }]);
    if (stored === undefined) throw new Error('no monitor was stored');
    const assigned = nodeIds.map((nodeId) => ({ monitor_id: stored.id, node_id: nodeId, generation: 1 }));
    if (assigned.length > 0) await trx('monitor_assignments').insert(assigned);
    return { ...stored, userId };
  });
}

/** Inserts monitors of a user that no node checks, at most 3 000 of them; each item as in table monitors. */
export async function insertMonitors(
  db: Knex,
  userId: string,
  monitors: readonly Readonly<Record<string, unknown>>[],
): Promise<{ readonly id: string; readonly key: number }[]> {
  const rows = monitors.map((columns) => {
    const id = newId(idPrefixes.monitor);
    return {
      id,
      owner_id: userId,
      created_by: userId,
      name: id,
      type: 'tcp',
      target: '127.0.0.1:9',
      interval_s: 60,
      config: '{}',
      node_selection: '{}',
      node_count: 0,
      consecutive_fail: 2,
      consecutive_ok: 1,
      fail_node_quorum: '2/3',
      // tests store checks of any time
      created_at: new Date(0),
      ...columns,
    };
  });
  const stored = await db('monitors').insert(rows).returning(['id', 'key']);
  await db('monitor_states').insert(stored.map(({ id }) => ({ monitor_id: id })));
  return stored;
}

/** A check as a node delivers it; `fields` override the defaults of its report. */
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

/** Stores checks the way checks that nodes deliver are stored. */
export function store(db: Knex, checks: readonly Delivered<TakenCheck>[]): Promise<string[]> {
  return storeChecks(db, checks, checkDaysOf(defaultPlans));
}
