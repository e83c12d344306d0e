import { type History, recordsOf } from './history.js';
import type { Invariant } from './invariant.js';

/** I9. When nothing is broken any more, every node is back in time and nothing is left to be delivered or waited for. */
export const healed: Invariant = {
  id: 'I9',
  says: 'after the last repair all nodes are online in time, no backlog is left and no task waits',
  evidence: ['healed'],
  check: (history) => [...notBack(history), ...cutInCalm(history), ...backlogs(history), ...waiting(history)],
};

function notBack(history: History): string[] {
  const healing = recordsOf(history, 'healed').at(-1);
  if (healing === undefined) return [];
  const retired = new Set(recordsOf(history, 'retired').map(({ nodeId }) => nodeId));
  const changes = history.records.filter((record) => record.type === 'online' || record.type === 'offline');
  const nodes = new Set(changes.map(({ nodeId }) => nodeId).filter((nodeId) => !retired.has(nodeId)));
  return [...nodes].flatMap((nodeId) => {
    const last = changes.findLast((change) => change.nodeId === nodeId);
    if (last?.type !== 'online') return [`${nodeId} is not online`];
    const lateMs = last.at - healing.at - healing.patienceMs;
    return lateMs > 0 ? [`${nodeId} came back ${lateMs} ms too late`] : [];
  });
}

/** Links that ended while nothing was broken and all processes were back. */
function cutInCalm(history: History): string[] {
  const calm = recordsOf(history, 'calm').at(-1);
  if (calm === undefined) return [];
  return recordsOf(history, 'offline')
    .filter(({ at }) => at > calm.at)
    .map(({ nodeId }) => `the link of ${nodeId} ended without a fault`);
}

function backlogs(history: History): string[] {
  return recordsOf(history, 'backlog')
    .filter(({ rows }) => rows > 0)
    .map(({ nodeId, rows }) => `${nodeId} still holds ${rows} rows`);
}

function waiting(history: History): string[] {
  return recordsOf(history, 'task')
    .filter(({ state }) => state === 'pending')
    .map(({ subject, nodeId }) => `${subject} of ${nodeId} still waits`);
}
