import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { type MeasurementType, measurementOf, type ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import type { NewTask, UnfitNodeRow } from './store.js';

/** A measurement that nodes are asked for. */
export interface Measured {
  readonly type: MeasurementType;
  readonly spec: ProbeSpecs[MeasurementType];
}

/** A task to be created. */
export interface TaskRequest extends Measured {
  /** Nodes of the task, in their order. */
  readonly nodeIds: readonly string[];
  readonly ownerId: string | null;
  readonly isTest: boolean;
  /** Present for a question of the service itself: no caller reads the task. */
  readonly isInternal?: true;
  /** Present if everyone who has its id may read it. */
  readonly isShared?: true;
  /** Nodes that were wanted and cannot run it; absent: none. */
  readonly unfitNodes?: readonly UnfitNodeRow[];
}

/** Time that a node has to deliver after the deadline, before its node task ends without a result. */
const EXPIRY_SLACK_MS = 30_000;

/** Task for a request, with a node task for each of its nodes. `now`: milliseconds since the epoch. */
export function newTask(
  { type, spec, nodeIds, ownerId, isTest, isInternal, isShared, unfitNodes }: TaskRequest,
  now: number,
): NewTask {
  const deadlineMs = measurementOf(type).deadlineMs(spec);
  const [id, ...nodeTaskIds] = sortedIds(nodeIds.length + 1, now);
  return {
    id,
    ownerId,
    isTest,
    ...(isInternal === undefined ? {} : { isInternal }),
    ...(isShared === undefined ? {} : { isShared }),
    probeType: type,
    target: spec.target,
    spec,
    specJson: JSON.stringify(spec),
    deadlineMs,
    createdAt: new Date(now),
    expiresInMs: deadlineMs + EXPIRY_SLACK_MS,
    targetKeys: null,
    nodeTasks: nodeIds.map((nodeId, index) => ({ id: nodeTaskIds[index] ?? '', nodeId, refusedCode: null })),
    ...(unfitNodes === undefined ? {} : { unfitNodes }),
  };
}

/**
 * Creates ids in ascending order. Ids of one millisecond are random: sorted, the task comes first and its node tasks keep
 * the order of the nodes.
 */
function sortedIds(count: number, now: number): [string, ...string[]] {
  const ids = Array.from({ length: count }, () => newId(idPrefixes.probeTask, now)).sort();
  return ids as [string, ...string[]];
}
