import type { Lane } from '@vantage/shared/protocol/codec.js';

// The tables that links, ingest and dispatch use, each row as one object that is never changed, only replaced: a copy of
// the maps is a copy of the database.

/** A row of `nodes`, as far as the simulation needs it. Times are milliseconds since the epoch. */
export interface NodeRow {
  readonly id: string;
  readonly publicKey: Buffer;
  readonly generation: number;
  readonly bootId: string | null;
  readonly opening: number;
  readonly bootOpening: number;
  readonly sessionId: string | null;
  readonly replicaId: string | null;
  /** Time since which this process has been known. */
  readonly bootSeenAt: number | null;
  readonly lostAfter: number | null;
  readonly bannedAt: number | null;
  readonly quarantinedAt: number | null;
  readonly updatedAt: number;
  readonly revision: number;
}

/** A row of `probe_node_tasks`, with what its request has. */
export interface NodeTaskRow {
  readonly id: string;
  readonly requestId: string;
  readonly nodeId: string;
  readonly probeType: string;
  readonly spec: string;
  readonly ownerId: string | null;
  readonly expiresAt: number;
  readonly opening: number | null;
  readonly state: 'pending' | 'done' | 'lost';
  readonly finishedAt: number | null;
  readonly lostCode: string | null;
  readonly isLate: boolean;
}

/** A row of `spool_gaps`. */
export interface GapRow {
  readonly nodeId: string;
  /** Hex. */
  readonly epoch: string;
  readonly lane: number;
  readonly first: number;
  readonly last: number;
  readonly reason: string;
}

/** A row of `readings`. */
export interface ReadingRow {
  readonly nodeId: string;
  readonly subject: string;
  readonly storedAt: number;
}

/** A row of `monitor_assignments`, with what its monitor is. */
export interface AssignmentState {
  readonly monitorId: string;
  readonly nodeId: string;
  readonly generation: number;
  readonly specJson: string;
  readonly endedAt: number | null;
}

/** A row of `monitor_checks`, or of `missed_slots`. */
export interface SlotsRow {
  readonly nodeId: string;
  readonly monitorId: string;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly count: number;
  /** Reason why they were not run; null if they were. */
  readonly missed: string | null;
  readonly storedAt: number;
}

/** A row of `replicas`. */
export interface ReplicaState {
  readonly url: string | null;
  readonly isDraining: boolean;
  readonly heartbeatAt: number;
}

/** A second result of a node task. */
export interface SupersededRow {
  readonly nodeId: string;
  readonly storedAt: number;
}

/** NOTE: lane numbers are those of proto/link.proto. */
export const laneNumbers: Readonly<Record<Lane, number>> = { task: 1, check: 2 };

/** All of it, and the sequence that numbers changes of nodes. */
export interface Tables {
  readonly nodes: Map<string, NodeRow>;
  readonly replicas: Map<string, ReplicaState>;
  readonly marks: Map<string, number>;
  readonly nodeTasks: Map<string, NodeTaskRow>;
  readonly superseded: Map<string, SupersededRow>;
  gaps: readonly GapRow[];
  readings: readonly ReadingRow[];
  readonly assignments: Map<string, AssignmentState>;
  /** Time of the last change of each node's assignments. */
  readonly assignmentChanges: Map<string, number>;
  /** Slots by `slotsKey`. */
  readonly slots: Map<string, readonly SlotsRow[]>;
  revision: number;
}

/** Under what the assignment and the slots of a monitor on a node stand. */
export function slotsKey(monitorId: string, nodeId: string): string {
  return `${monitorId} ${nodeId}`;
}

/** An empty database. */
export function emptyTables(): Tables {
  return {
    nodes: new Map(),
    replicas: new Map(),
    marks: new Map(),
    nodeTasks: new Map(),
    superseded: new Map(),
    gaps: [],
    readings: [],
    assignments: new Map(),
    assignmentChanges: new Map(),
    slots: new Map(),
    revision: 0,
  };
}

/** The database as it is now, whatever becomes of it. */
export function copyTables(tables: Tables): Tables {
  return {
    nodes: new Map(tables.nodes),
    replicas: new Map(tables.replicas),
    marks: new Map(tables.marks),
    nodeTasks: new Map(tables.nodeTasks),
    superseded: new Map(tables.superseded),
    gaps: tables.gaps,
    readings: tables.readings,
    assignments: new Map(tables.assignments),
    assignmentChanges: new Map(tables.assignmentChanges),
    slots: new Map(tables.slots),
    revision: tables.revision,
  };
}

/** Replaces a node's row, as the trigger stamps it. */
export function updateNode(tables: Tables, node: NodeRow, change: Partial<NodeRow>, nowMs: number): NodeRow {
  tables.revision += 1;
  const changed = { ...node, ...change, updatedAt: nowMs, revision: tables.revision };
  tables.nodes.set(node.id, changed);
  return changed;
}

/** Ends a task without a result. */
export function loseTask(tables: Tables, task: NodeTaskRow, lostCode: string, nowMs: number): NodeTaskRow {
  const lost = { ...task, state: 'lost' as const, lostCode, finishedAt: nowMs };
  tables.nodeTasks.set(task.id, lost);
  return lost;
}
