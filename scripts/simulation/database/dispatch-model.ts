import type { LostRow, NewTask, PendingRow } from 'vantage-control/modules/probes/store.js';
import { loseTask, type NodeTaskRow, type Tables, updateNode } from './tables.js';

// NOTE: models the SQL of control-plane/src/modules/probes/store.ts for dispatch; model.test.ts compares them.

/** insertTasks */
export function insertTasks(tables: Tables, tasks: readonly NewTask[], nowMs: number): void {
  for (const task of tasks) {
    for (const { id, nodeId, refusedCode } of task.nodeTasks) {
      tables.nodeTasks.set(id, {
        id,
        requestId: task.id,
        nodeId,
        probeType: task.probeType,
        spec: task.specJson,
        ownerId: task.ownerId,
        expiresAt: nowMs + task.expiresInMs,
        opening: tables.nodes.get(nodeId)?.opening ?? null,
        state: refusedCode === null ? 'pending' : 'lost',
        finishedAt: refusedCode === null ? null : nowMs,
        lostCode: refusedCode,
        isLate: false,
      });
    }
  }
}

/** listPendingTasks, …OfNode, …OfReplica: those that pass. */
export function listPending(tables: Tables, isWanted: (task: NodeTaskRow) => boolean): PendingRow[] {
  return pendingTasks(tables)
    .filter(isWanted)
    .map((task) => ({
      id: task.id,
      node_id: task.nodeId,
      probe_type: task.probeType,
      spec: task.spec,
      owner_id: task.ownerId,
      opening: task.opening,
    }));
}

/** loseTasks */
export function loseTasks(tables: Tables, ids: readonly string[], nowMs: number): LostRow[] {
  return pendingTasks(tables)
    .filter(({ id }) => ids.includes(id))
    .map((task) => lostRow(loseTask(tables, task, 'node_lost', nowMs)));
}

/** loseTasksOfGoneNodes */
export function loseTasksOfGoneNodes(tables: Tables, nowMs: number): LostRow[] {
  const gone = [...tables.nodes.values()].filter(
    ({ lostAfter, sessionId }) => lostAfter !== null && lostAfter <= nowMs && sessionId === null,
  );
  for (const node of gone) updateNode(tables, node, { lostAfter: null }, nowMs);
  const ids = new Set(gone.map(({ id }) => id));
  return pendingTasks(tables)
    .filter(({ nodeId }) => ids.has(nodeId))
    .map((task) => lostRow(loseTask(tables, task, 'node_lost', nowMs)));
}

/** noticeUnlinkedWork */
export function noticeUnlinkedWork(tables: Tables, graceMs: number, nowMs: number): void {
  const withWork = new Set(pendingTasks(tables).map(({ nodeId }) => nodeId));
  const idle = [...tables.nodes.values()].filter(
    ({ sessionId, lostAfter }) => sessionId === null && lostAfter === null,
  );
  for (const node of idle) {
    if (withWork.has(node.id)) updateNode(tables, node, { lostAfter: nowMs + graceMs }, nowMs);
  }
}

/** expireTasks */
export function expireTasks(tables: Tables, nowMs: number): LostRow[] {
  return pendingTasks(tables)
    .filter(({ expiresAt }) => expiresAt <= nowMs)
    .map((task) => lostRow(loseTask(tables, task, 'timeout', nowMs)));
}

function pendingTasks(tables: Tables): NodeTaskRow[] {
  return [...tables.nodeTasks.values()].filter(({ state }) => state === 'pending');
}

function lostRow({ requestId, probeType, lostCode }: NodeTaskRow): LostRow {
  return { task_id: requestId, probe_type: probeType, lost_code: lostCode ?? '' };
}
