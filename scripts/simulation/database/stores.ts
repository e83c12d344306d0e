import type { IngestStore } from 'vantage-control/ingest/index.js';
import type { AssignedReads, LinkRecords } from 'vantage-control/links/index.js';
import type { NodeReads } from 'vantage-control/modules/nodes/store.js';
import type { DispatchStore } from 'vantage-control/modules/probes/store.js';
import type { ReplicaStore } from 'vantage-control/replicas/store.js';
import type { SimulatedProcess } from '../process.js';
import * as dispatch from './dispatch-model.js';
import * as ingest from './ingest-model.js';
import * as links from './link-model.js';
import type { DatabaseServer } from './server.js';
import * as slots from './slots-model.js';
import type { Tables } from './tables.js';

/** Every store of a control plane. */
export interface Stores {
  readonly links: LinkRecords;
  readonly nodes: NodeReads;
  readonly replicas: ReplicaStore;
  readonly ingest: IngestStore;
  readonly dispatch: DispatchStore;
  /** Reads the assignments of nodes, and the nodes whose assignments changed. */
  readonly assigned: AssignedReads;
  readonly assignmentChanges: (since: Date) => Promise<readonly { node_id: string; changed_at: Date }[]>;
}

export type RunStatement = <T>(statement: (tables: Tables, nowMs: number) => T) => Promise<T>;

/** The stores of one process, on the one database. */
export function storesOf(server: DatabaseServer, process: SimulatedProcess): Stores {
  return modelStores((statement) => server.run(process, statement));
}

/** The stores over tables in memory. */
export function modelStores(run: RunStatement): Stores {
  return {
    links: linkRecords(run),
    nodes: nodeReads(run),
    replicas: {
      upsert: (replica) => run((tables, now) => links.upsertReplica(tables, replica, now)),
      removeDead: (silentMs, graceMs) => run((tables, now) => links.removeDeadReplicas(tables, silentMs, graceMs, now)),
      delete: (id) => run((tables) => void tables.replicas.delete(id)),
      deleteAll: () => run((tables) => tables.replicas.clear()),
    },
    ingest: {
      storeBatches: (batches) => run((tables, now) => ingest.storeBatches(tables, batches, now)),
      storeRowByRow: (batch) =>
        run((tables, now) => ingest.storeBatches(tables, [batch], now)[0] ?? { kind: 'refused' }),
      storeGap: (gap, reason) => run((tables, now) => ingest.storeGap(tables, gap, reason, now)),
    },
    dispatch: dispatchStore(run),
    assigned: {
      keys: (nodeId) => run((tables) => slots.keysOf(tables, nodeId)),
      sum: (nodeId) => run((tables) => slots.keysOf(tables, nodeId).sum),
      find: (nodeId, monitorId) => run((tables) => slots.findAssignment(tables, nodeId, monitorId)),
    },
    assignmentChanges: (since) => run((tables) => slots.changesSince(tables, since.getTime())),
  };
}

function linkRecords(run: RunStatement): LinkRecords {
  return {
    findNode: (nodeId) => run((tables) => links.findLinkNode(tables, nodeId)),
    open: (session) => run((tables, now) => links.openSession(tables, session, now)),
    close: (nodeId, sessionId, graceMs) =>
      run((tables, now) => links.closeSession(tables, nodeId, sessionId, graceMs, now)),
    quarantine: (nodeId) => run((tables, now) => links.quarantineNode(tables, nodeId, now)),
    noteRefusedVersion: () => run(() => false),
    updateSelfTest: () => run(() => undefined),
    findRotationNonce: () => run(() => null),
    changeKey: ({ nodeId }) =>
      run((tables) => {
        const publicKey = tables.nodes.get(nodeId)?.publicKey ?? Buffer.alloc(0);
        return { publicKey, refused: 'no other key was asked for' };
      }),
    reportUpgrade: () => run(() => false),
    finishUpgrade: () => run(() => false),
    ensureMarks: (nodeId, epoch) => run((tables) => links.ensureMarks(tables, nodeId, epoch)),
    findLinks: (known) => run((tables) => links.findLinks(tables, known)),
  };
}

function nodeReads(run: RunStatement): NodeReads {
  return {
    listAll: () => run((tables) => [...tables.nodes.values()].map(links.toNode)),
    find: (ids) => run((tables) => [...tables.nodes.values()].filter(({ id }) => ids.includes(id)).map(links.toNode)),
    listShutOutLately: () => run((tables, now) => links.listShutOutLately(tables, now)),
    listRevisionsSince: (since) =>
      run((tables) =>
        [...tables.nodes.values()]
          .filter((node) => node.updatedAt > since.getTime())
          .map(({ id, revision }) => ({ id, revision })),
      ),
  };
}

function dispatchStore(run: RunStatement): DispatchStore {
  return {
    insert: (tasks) => run((tables, now) => dispatch.insertTasks(tables, tasks, now)),
    // targets of a simulation have no budget
    insertWithinBudgets: () => Promise.reject(new Error('a simulated target has a budget')),
    listPending: (ids) => run((tables) => dispatch.listPending(tables, ({ id }) => ids.includes(id))),
    listPendingOfNode: (nodeId) => run((tables) => dispatch.listPending(tables, (task) => task.nodeId === nodeId)),
    listPendingOfReplica: (replicaId) =>
      run((tables) => dispatch.listPending(tables, (task) => tables.nodes.get(task.nodeId)?.replicaId === replicaId)),
    lose: (ids) => run((tables, now) => dispatch.loseTasks(tables, ids, now)),
    loseOfGoneNodes: () => run((tables, now) => dispatch.loseTasksOfGoneNodes(tables, now)),
    noticeUnlinkedWork: (graceMs) => run((tables, now) => dispatch.noticeUnlinkedWork(tables, graceMs, now)),
    expire: () => run((tables, now) => dispatch.expireTasks(tables, now)),
  };
}
