import type { AssignmentSpec } from '@vantage/shared/monitor-types/assignment.js';
import type { MonitorType } from '@vantage/shared/monitor-types/index.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Sealer } from '../../../crypto/sealing.js';
import { Batcher } from '../../../db/batcher.js';
import type { AssignedWork, ReadAssigned } from '../../../links/index.js';
import { type AssignmentRow, listAssignmentsOf } from '../definition/assignment-store.js';
import { areBoundTo, type BoundSecret, joinSecrets, openSecrets } from '../definition/sealed-secrets.js';
import { bindingOf } from '../definition/secret-binding.js';
import { isWithin, reachOf, withoutReach } from '../definition/secret-reach.js';

/** Greatest number of nodes read together: links open by the thousand, most of them of nodes without assignments. */
const NODES_AT_ONCE = 200;

interface AssignedWorkOptions {
  readonly db: Knex;
  readonly sealer: Sealer;
  readonly log: Logger;
}

/** Reads the assignments of nodes, with the secrets that their checks need. */
export function assignedWork(options: AssignedWorkOptions): ReadAssigned {
  const reads = new Batcher<string, readonly AssignedWork[]>({
    maxItems: NODES_AT_ONCE,
    flush: async (nodeIds) => {
      const byNode = new Map<string, AssignedWork[]>(nodeIds.map((nodeId) => [nodeId, []]));
      for (const row of await listAssignmentsOf(options.db, [...byNode.keys()])) {
        const work = workOf(row, options);
        if (work !== null) byNode.get(row.node_id)?.push(work);
      }
      return nodeIds.map((nodeId) => byNode.get(nodeId) ?? []);
    },
  });
  return (nodeId) => reads.add(nodeId);
}

/**
 * Assignment with opened secrets; null: the node may not have the secrets, regardless of its placement, and they stay sealed; or the row
 * checks another target than its secrets were given for, which no act of this program can cause.
 */
function workOf(row: AssignmentRow, { sealer, log }: AssignedWorkOptions): AssignedWork | null {
  const { monitor_id: monitorId, generation } = row;
  const node = { ownerId: row.node_owner_id, isOwnerAdmin: row.is_node_owner_admin };
  if (!isWithin(reachOf(row), node, row.owner_id)) return null;
  const secrets = openSecrets(row, sealer);
  if (!areBoundTo(secrets, bindingOf(row.target, row.config))) {
    log.error({ monitorId, nodeId: row.node_id }, 'monitor withheld: its secrets belong to another target');
    return null;
  }
  // widening the stored setting has no effect: the reach is sealed with each secret
  if (!secrets.every(({ reach }) => isWithin(reach, node, row.owner_id))) return null;
  return { monitorId, generation, specJson: Buffer.from(JSON.stringify(specOf(row, secrets))) };
}

function specOf(row: AssignmentRow, secrets: readonly BoundSecret[]): AssignmentSpec {
  const { type, target, config, interval_s, consecutive_fail, consecutive_ok } = row;
  const whole = { ...withoutReach(joinSecrets(config, secrets)) };
  return { type: type as MonitorType, target, config: whole, interval_s, consecutive_fail, consecutive_ok };
}
