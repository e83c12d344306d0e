import type { AssignmentSpec } from '@vantage/shared/monitor-types/assignment.js';
import type { MonitorType } from '@vantage/shared/monitor-types/index.js';
import type { Knex } from 'knex';
import { Batcher } from '../../db/batcher.js';
import type { AssignedWork, ReadAssigned } from '../../links/index.js';
import type { Sealer } from '../../sealing.js';
import { type AssignmentRow, listAssignmentsOf } from './assignment-store.js';
import { joinSecrets, openSecrets } from './settings.js';

/** Links open by the thousand, most of nodes that watch nothing: what waits is read together. */
const NODES_AT_ONCE = 200;

/** Reads what nodes are to watch, with the secrets that their checks need. */
export function assignedWork(db: Knex, sealer: Sealer): ReadAssigned {
  const reads = new Batcher<string, readonly AssignedWork[]>({
    maxItems: NODES_AT_ONCE,
    flush: async (nodeIds) => {
      const byNode = new Map<string, AssignedWork[]>(nodeIds.map((nodeId) => [nodeId, []]));
      for (const row of await listAssignmentsOf(db, [...byNode.keys()]))
        byNode.get(row.node_id)?.push(workOf(row, sealer));
      return nodeIds.map((nodeId) => byNode.get(nodeId) ?? []);
    },
  });
  return (nodeId) => reads.add(nodeId);
}

function workOf(row: AssignmentRow, sealer: Sealer): AssignedWork {
  const specJson = Buffer.from(JSON.stringify(specOf(row, sealer)));
  return { monitorId: row.monitor_id, generation: row.generation, specJson };
}

function specOf(row: AssignmentRow, sealer: Sealer): AssignmentSpec {
  const { type, target, config, sealed_secrets: sealed, interval_s, consecutive_fail, consecutive_ok } = row;
  const whole = { ...joinSecrets(config, openSecrets(sealed, sealer)) };
  return { type: type as MonitorType, target, config: whole, interval_s, consecutive_fail, consecutive_ok };
}
