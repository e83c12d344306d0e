import { createHash } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import {
  isMeasurementType,
  type MeasurementType,
  measurementOf,
  type ProbeSpecs,
} from '@vantage/shared/probe-types/index.js';
import type { Logger } from 'pino';
import type { Bus } from '../../bus/bus.js';
import { Batcher } from '../../db/batcher.js';
import { LINK_GRACE_MS, type Link, type LinkTable, type LinkWork } from '../../links/index.js';
import type { Waiters } from '../../runtime/waiters.js';
import type { NodeDirectory } from '../nodes/index.js';
import type { RecentTasks } from './recent-tasks.js';
import type { BudgetedTask, DispatchStore, LostRow, NewTask, PendingRow } from './store.js';

// A task's frame leaves only after its row is committed: a result that finds no row would be lost.
//
//   stored ──link here──> job frame          ──link elsewhere──> bus "jobs" to that replica, which reads the rows
//   link gone ──2 s──> node_lost             link back ──> jobs that its process may have received but does not run are sent
//                                            again; jobs stored before its first link that it does not have are lost

const MAX_TASKS_PER_INSERT = 256;
const SWEEP_MS = 1_000;
/** Longest time that a busy node lets a probe wait; after that it reports `overload`. */
const QUEUE_PATIENCE_MS = 5_000;

interface Job extends Omit<PendingRow, 'opening'> {
  /** Time that a node may take for it, in milliseconds; absent: it is read from the spec. */
  readonly deadlineMs?: number;
}

interface DispatchOptions {
  readonly store: DispatchStore;
  readonly replicaId: string;
  readonly directory: NodeDirectory;
  readonly links: LinkTable;
  readonly bus: Bus;
  readonly waiters: Waiters;
  readonly recent: RecentTasks;
  readonly metrics: { countResult(type: string, outcome: string): void };
  readonly clock: Clock;
  readonly log: Logger;
}

/** Stores tasks, sends their jobs to nodes, and ends node tasks of lost nodes. */
export class Dispatch implements LinkWork {
  readonly #inserts: Batcher<NewTask, undefined>;
  readonly #budgetedInserts: Batcher<BudgetedTask, number>;
  readonly #graceTimers = new Map<string, () => void>();
  #cancelSweep: (() => void) | null = null;
  #isStopped = false;

  constructor(private readonly options: DispatchOptions) {
    this.#inserts = new Batcher({
      maxItems: MAX_TASKS_PER_INSERT,
      clock: options.clock,
      flush: async (tasks) => {
        await options.store.insert(tasks);
        return tasks.map(() => undefined);
      },
    });
    this.#budgetedInserts = new Batcher({
      maxItems: MAX_TASKS_PER_INSERT,
      clock: options.clock,
      flush: (tasks) => options.store.insertWithinBudgets(tasks),
    });
  }

  start(): void {
    this.options.bus.onMessage((message) => {
      if (message.type === 'jobs') this.#background(this.#sendStored(message.ids));
    });
    this.#scheduleSweep();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelSweep?.();
    for (const cancel of this.#graceTimers.values()) cancel();
    await Promise.all([this.#inserts.drain(), this.#budgetedInserts.drain()]);
  }

  /** Number of jobs in flight on a node, as far as this replica knows. */
  loadOf(nodeId: string): number {
    return this.options.links.find(nodeId)?.inFlight ?? 0;
  }

  /** Stores a task; resolves when it is durable. */
  async store(task: NewTask): Promise<void> {
    await this.#inserts.add(task);
  }

  /** Stores a task as far as the budget of its target allows; resolves with the number of its nodes that it has room for. */
  storeWithinBudget(task: BudgetedTask): Promise<number> {
    return this.#budgetedInserts.add(task);
  }

  /** Sends the jobs of a durable task to its nodes. */
  send(task: NewTask): void {
    const elsewhere = new Map<string, string[]>();
    for (const nodeTask of task.nodeTasks) {
      if (nodeTask.refusedCode !== null) continue;
      const job = {
        id: nodeTask.id,
        node_id: nodeTask.nodeId,
        probe_type: task.probeType,
        spec: task.specJson,
        owner_id: task.ownerId,
        deadlineMs: task.deadlineMs,
      };
      if (this.#sendIfLinkedHere(job)) continue;
      const replicaId = this.options.directory.find(nodeTask.nodeId)?.replicaId;
      // without a link anywhere the sweep ends it, or the returning node gets it
      if (!replicaId || replicaId === this.options.replicaId) continue;
      elsewhere.set(replicaId, [...(elsewhere.get(replicaId) ?? []), nodeTask.id]);
    }
    for (const [replicaId, ids] of elsewhere) this.options.bus.send(replicaId, { type: 'jobs', ids });
  }

  onOpened(session: Link): void {
    this.#graceTimers.get(session.nodeId)?.();
    this.#graceTimers.delete(session.nodeId);
    this.#background(this.#handOver(session));
  }

  onCaughtUp(session: Link): void {
    this.#background(this.#handOver(session));
  }

  onClosed(session: Link): void {
    if (this.#isStopped) return;
    const cancel = this.options.clock.after(LINK_GRACE_MS.agentGone + 10, () => {
      this.#graceTimers.delete(session.nodeId);
      this.#background(this.#loseGone());
    });
    this.#graceTimers.get(session.nodeId)?.();
    this.#graceTimers.set(session.nodeId, cancel);
  }

  /**
   * Sends a node its pending jobs; its process ignores those that it has received before. A job that was stored before the first
   * link of this process belonged to the previous process: it ends without a result, unless the result may still be on its way.
   * If the database fails, the next sweep does the same.
   */
  async #handOver(session: Link): Promise<void> {
    const pending = await this.options.store.listPendingOfNode(session.nodeId);
    const missing = pending.filter((row) => !session.resume.runningTaskIds.has(row.id) && !session.hasSent(row.id));
    for (const row of missing.filter((row) => mayRun(session, row))) sendJob(session, row);
    if (session.isCaughtUp) await this.#lose(missing.filter((row) => !mayRun(session, row)));
  }

  async #sendStored(ids: readonly string[]): Promise<void> {
    for (const row of await this.options.store.listPending(ids)) {
      const session = this.options.links.find(row.node_id);
      if (session && mayRun(session, row)) sendJob(session, row);
    }
  }

  #sendIfLinkedHere(row: Job): boolean {
    const session = this.options.links.find(row.node_id);
    if (!session?.isOpen) return false;
    sendJob(session, row);
    return true;
  }

  #scheduleSweep(): void {
    if (this.#isStopped) return;
    this.#cancelSweep = this.options.clock.after(SWEEP_MS, () => {
      this.#background(this.#sweep().finally(() => this.#scheduleSweep()));
    });
  }

  async #sweep(): Promise<void> {
    await this.#loseGone();
    await this.options.store.noticeUnlinkedWork(LINK_GRACE_MS.agentGone);
    this.#finished(await this.options.store.expire());
    await this.#sendOverlooked();
  }

  /**
   * Sends jobs whose bus message to this replica was lost; an agent ignores jobs that it already has. A job that a new process
   * of an agent may not run is on its way as a result of the previous process or, once all of those have arrived, lost.
   */
  async #sendOverlooked(): Promise<void> {
    if (this.options.links.size === 0) return;
    const lost: PendingRow[] = [];
    for (const row of await this.options.store.listPendingOfReplica(this.options.replicaId)) {
      const session = this.options.links.find(row.node_id);
      if (!session?.isOpen || session.hasSent(row.id) || session.resume.runningTaskIds.has(row.id)) continue;
      if (mayRun(session, row)) sendJob(session, row);
      else if (session.isCaughtUp) lost.push(row);
    }
    await this.#lose(lost);
  }

  async #lose(rows: readonly PendingRow[]): Promise<void> {
    if (rows.length > 0) this.#finished(await this.options.store.lose(rows.map(({ id }) => id)));
  }

  async #loseGone(): Promise<void> {
    this.#finished(await this.options.store.loseOfGoneNodes());
  }

  #finished(lost: readonly LostRow[]): void {
    if (lost.length === 0) return;
    for (const { probe_type, lost_code } of lost) this.options.metrics.countResult(probe_type, lost_code);
    const taskIds = lost.map(({ task_id }) => task_id);
    this.options.recent.forget(taskIds);
    this.options.waiters.wake(taskIds);
    this.options.bus.broadcast({ type: 'finished', ids: taskIds });
  }

  #background(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!this.#isStopped) this.options.log.warn({ err: error }, 'cannot look for waiting tasks, retrying');
    });
  }
}

/** True if a stored job may be sent to this process of the agent: no previous process can have received it. */
function mayRun({ resume }: Link, { opening }: PendingRow): boolean {
  return opening === null || opening >= resume.bootOpening;
}

function sendJob(session: Link, row: Job): void {
  if (!isMeasurementType(row.probe_type)) return;
  session.sendJob({
    taskId: row.id,
    probeType: row.probe_type,
    specJson: row.spec,
    deadlineMs: (row.deadlineMs ?? deadlineOf(row.probe_type, row.spec)) + QUEUE_PATIENCE_MS,
    caller: row.owner_id === null ? '' : callerName(row.owner_id, row.node_id),
  });
}

/** Pseudonym of a caller on one node: the node can distinguish callers, and two nodes cannot compare theirs. */
function callerName(ownerId: string, nodeId: string): string {
  return createHash('sha256').update(`${nodeId} ${ownerId}`).digest('base64url').slice(0, 16);
}

/** Time that a node may take for a stored spec, in milliseconds. */
function deadlineOf(type: MeasurementType, specJson: string): number {
  return measurementOf(type).deadlineMs(JSON.parse(specJson) as ProbeSpecs[MeasurementType]);
}
