import type { AssignmentSpec } from '@vantage/shared/monitor-types/assignment.js';
import type { MonitorType } from '@vantage/shared/monitor-types/index.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Sealer } from '../../../crypto/sealing.js';
import { Batcher } from '../../../db/batcher.js';
import type { AssignedKeys, AssignedReads } from '../../../links/index.js';
import { Slices } from '../../../runtime/slices.js';
import { type AssignmentRow, listAssignments, listKeysOf, sumKeysOf } from '../definition/assignment-store.js';
import { areBoundTo, type BoundSecret, joinSecrets, openSecrets } from '../definition/sealed-secrets.js';
import { bindingOf } from '../definition/secret-binding.js';
import { isWithin, reachOf, withoutReach } from '../definition/secret-reach.js';

/** Greatest number of assignments read together. */
const ASSIGNMENTS_AT_ONCE = 200;
/** Greatest number of nodes whose keys are read together: links open by the thousand, most of them of nodes without assignments. */
const NODES_AT_ONCE = 20;
const SUMS_AT_ONCE = 200;
/** Keys that are one step, as `Slices` counts them. */
const KEYS_PER_STEP = 10;
/** Steps of building one assignment, and characters of its text that are one more. */
const STEPS_PER_ASSIGNMENT = 10;
const CHARACTERS_PER_STEP = 50;

interface AssignedWorkOptions {
  readonly db: Knex;
  readonly sealer: Sealer;
  readonly log: Logger;
}

type Found = Awaited<ReturnType<AssignedReads['find']>>;

/** Reads assignments for links, with the secrets that their checks need. Reads of one turn are one statement. */
export function assignedWork(options: AssignedWorkOptions): AssignedReads {
  const { db } = options;
  const keys = new Batcher({
    maxItems: NODES_AT_ONCE,
    flush: (nodeIds: readonly string[]) => keysOf(nodeIds, db),
  });
  const sums = new Batcher({
    maxItems: SUMS_AT_ONCE,
    flush: async (nodeIds: readonly string[]) => {
      const byNode = new Map((await sumKeysOf(db, nodeIds)).map(({ node_id, sum }) => [node_id, sum]));
      return nodeIds.map((nodeId) => byNode.get(nodeId) ?? 0);
    },
  });
  const found = new Batcher({
    maxItems: ASSIGNMENTS_AT_ONCE,
    flush: (wanted: readonly Wanted[]) => findAll(wanted, options),
  });
  return {
    keys: (nodeId) => keys.add(nodeId),
    sum: (nodeId) => sums.add(nodeId),
    find: (nodeId, monitorId) => found.add({ nodeId, monitorId }),
  };
}

async function keysOf(nodeIds: readonly string[], db: Knex): Promise<AssignedKeys[]> {
  const slices = new Slices();
  const byNode = new Map<string, AssignedKeys>();
  for (const { node_id, sum, keys } of await listKeysOf(db, nodeIds)) {
    const named = keys.map(([monitorId, generation, hasSecrets]) => ({ monitorId, generation, hasSecrets }));
    byNode.set(node_id, { keys: named, sum });
    await slices.spend(keys.length / KEYS_PER_STEP);
  }
  return nodeIds.map((nodeId) => byNode.get(nodeId) ?? { keys: [], sum: 0 });
}

interface Wanted {
  readonly nodeId: string;
  readonly monitorId: string;
}

async function findAll(wanted: readonly Wanted[], options: AssignedWorkOptions): Promise<Found[]> {
  const slices = new Slices();
  const found = new Map<string, Found>();
  for (const row of await listAssignments(options.db, wanted)) {
    const specJson = specJsonOf(row, options);
    found.set(`${row.node_id} ${row.monitor_id}`, { generation: row.generation, specJson });
    await slices.spend(STEPS_PER_ASSIGNMENT + (specJson?.length ?? 0) / CHARACTERS_PER_STEP);
  }
  return wanted.map(({ nodeId, monitorId }) => found.get(`${nodeId} ${monitorId}`) ?? null);
}

/**
 * Specification with opened secrets; null if the node may not have the secrets, regardless of its placement, and they stay sealed, or if
 * the row checks another target than its secrets were given for, which no act of this program can cause.
 */
function specJsonOf(row: AssignmentRow, { sealer, log }: AssignedWorkOptions): Uint8Array | null {
  const node = { ownerId: row.node_owner_id, isOwnerAdmin: row.is_node_owner_admin };
  if (!isWithin(reachOf(row), node, row.owner_id)) return null;
  const secrets = openSecrets(row, sealer);
  if (!areBoundTo(secrets, bindingOf(row.target, row.config))) {
    const { monitor_id: monitorId, node_id: nodeId } = row;
    log.error({ monitorId, nodeId }, 'monitor withheld: its secrets belong to another target');
    return null;
  }
  // widening the stored setting has no effect: the reach is sealed with each secret
  if (!secrets.every(({ reach }) => isWithin(reach, node, row.owner_id))) return null;
  return Buffer.from(JSON.stringify(specOf(row, secrets)));
}

function specOf(row: AssignmentRow, secrets: readonly BoundSecret[]): AssignmentSpec {
  const { type, target, config, interval_s, consecutive_fail, consecutive_ok } = row;
  const whole = { ...withoutReach(joinSecrets(config, secrets)) };
  return { type: type as MonitorType, target, config: whole, interval_s, consecutive_fail, consecutive_ok };
}
