import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { measurementOf } from '@vantage/shared/probe-types/index.js';
import type { Viewer } from '../../http/viewer.js';
import type { Node } from '../nodes/index.js';
import type { NewTask } from './store.js';
import type { Measured } from './task-writer.js';

/** Time that a node has to deliver after the deadline, before its node task ends without a result. */
const EXPIRY_SLACK_MS = 30_000;

/** Task for a request of a caller, with a node task for each of the nodes in their order. `now`: milliseconds since the epoch. */
export function newTask(
  request: Measured,
  { ownerId, isTest }: Pick<Viewer, 'ownerId' | 'isTest'>,
  nodes: readonly Pick<Node, 'id'>[],
  now: number,
): NewTask {
  const deadlineMs = measurementOf(request.type).deadlineMs(request.spec);
  const [id, ...nodeTaskIds] = sortedIds(nodes.length + 1, now);
  return {
    id,
    ownerId,
    isTest,
    probeType: request.type,
    target: request.spec.target,
    spec: request.spec,
    specJson: JSON.stringify(request.spec),
    deadlineMs,
    createdAt: new Date(now),
    expiresInMs: deadlineMs + EXPIRY_SLACK_MS,
    targetKeys: null,
    nodeTasks: nodes.map((node, index) => ({ id: nodeTaskIds[index] ?? '', nodeId: node.id, refusedCode: null })),
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
