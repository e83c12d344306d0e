import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { AsnOf } from '@vantage/shared/probe-types/definition.js';
import { definitionOf } from '@vantage/shared/probe-types/index.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { touchedHosts } from '@vantage/shared/target-policy/spec.js';
import { targetKeys } from '@vantage/shared/target-policy/target-keys.js';
import type { Knex } from 'knex';
import { ApiError, limitReached } from '../../http/errors.js';
import type { Caller, RateLimiter } from '../../http/rate-limit.js';
import type { ServerEvent } from '../../http/route.js';
import type { Plans } from '../../plans.js';
import { isVisibleTo, type Node, type NodeDirectory, type Viewer, viewerOf } from '../nodes/index.js';
import { BudgetTurns } from './budget-turns.js';
import { type Dispatch, EXPIRY_SLACK_MS } from './dispatch.js';
import { spendNodeTests } from './node-test-quota.js';
import { checkTarget, chooseNodes, type ProbeRequest } from './probe-request.js';
import type { RecentTasks } from './recent-tasks.js';
import { insertTasks, listTasks, type NewTask, type TaskOwner, type TaskRow } from './store.js';
import { TARGET_RATE_PER_SECOND } from './target-budget.js';
import { takeFromBudget } from './target-budget-store.js';
import { isFinished, type TaskReader } from './task-reader.js';
import { type TaskView, taskView } from './view.js';

export { Dispatch } from './dispatch.js';
export { RecentTasks } from './recent-tasks.js';
export { type DispatchStore, dispatchStore, type LostRow, type NewTask, type PendingRow } from './store.js';
export { TARGET_BURST, TARGET_MAX_AT_ONCE, TARGET_RATE_PER_SECOND } from './target-budget.js';
export { deleteFullBuckets } from './target-budget-store.js';
export { TaskReader } from './task-reader.js';
export type { NodeResultView, TaskView } from './view.js';
export { Waiters } from './waiters.js';

interface ProbesOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly directory: NodeDirectory;
  readonly dispatch: Dispatch;
  readonly recent: RecentTasks;
  readonly reader: TaskReader;
  /** The newest policy: deny lists change while we run. */
  readonly policy: () => TargetPolicy;
  readonly limiter: RateLimiter;
  readonly plans: Plans;
  /** The networks of addresses, as far as they are known. */
  readonly asnOf: AsnOf;
  readonly metrics: {
    countTask(type: string, seconds: number): void;
    countResult(type: string, outcome: string): void;
  };
}

/** What creating a probe answers (API specification 2.7). */
export interface ProbeCreated {
  readonly task_id: string;
  readonly task_ids: readonly string[];
  readonly status: 'queued';
}

/** One-shot probes: requests, their tasks and results. */
export class Probes {
  readonly #budgetTurns = new BudgetTurns();

  constructor(private readonly options: ProbesOptions) {}

  /**
   * Stores a request, which costs the caller a node test for every node it chooses, and sends it to them.
   * @throws ApiError VALIDATION_FAILED, PROBE_TARGET_INVALID, NODE_NOT_FOUND, NODE_OFFLINE, QUOTA_EXCEEDED,
   * RATE_LIMIT_EXCEEDED
   */
  async create(request: ProbeRequest, caller: Caller): Promise<ProbeCreated> {
    const { clock, directory, dispatch, metrics } = this.options;
    const startedMs = clock.monotonicMs();
    const viewer = viewerOf(caller.account);
    checkTarget(request, this.options.policy());
    const nodes = chooseNodes({
      request,
      viewer,
      nodes: directory.all(),
      findNode: (id) => directory.find(id),
      loadOf: (node) => dispatch.loadOf(node.id),
      random: Math.random,
    });
    const task = await spendNodeTests(this.options, { caller, nodeTests: nodes.length }, () =>
      this.#remember(newTask(request, viewer, nodes, clock.now()), (made) =>
        this.#store(made, { keys: this.#budgetKeys(request), weight: targetWeight(request) }),
      ),
    );
    dispatch.send(task);
    metrics.countTask(request.type, (clock.monotonicMs() - startedMs) / 1_000);
    for (const { refusedCode } of task.nodeTasks) if (refusedCode) metrics.countResult(request.type, refusedCode);
    return { task_id: task.id, task_ids: task.nodeTasks.map((nodeTask) => nodeTask.id), status: 'queued' };
  }

  /** A task as it is now. @throws ApiError PROBE_JOB_NOT_FOUND */
  async get(id: string, viewer: Viewer): Promise<TaskView> {
    return this.#view(id, readable(await this.options.reader.find(id), viewer), viewer);
  }

  /** A task when it is finished, or as it is after `seconds`. @throws ApiError PROBE_JOB_NOT_FOUND */
  async waitFor(id: string, viewer: Viewer, seconds: number, signal: AbortSignal): Promise<TaskView> {
    const ending = new AbortController();
    const cancel = this.options.clock.after(seconds * 1_000, () => ending.abort());
    try {
      let last: TaskRow | null = null;
      for await (const task of this.options.reader.follow(id, AbortSignal.any([signal, ending.signal]))) {
        last = readable(task, viewer);
      }
      if (last && !isFinished(last) && !signal.aborted) last = await this.options.reader.find(id);
      return this.#view(id, readable(last, viewer), viewer);
    } finally {
      cancel();
    }
  }

  /** The results of a task as they come, then its end. @throws ApiError PROBE_JOB_NOT_FOUND before the first event */
  async events(id: string, viewer: Viewer, signal: AbortSignal): Promise<AsyncIterable<ServerEvent>> {
    readable(await this.options.reader.findHeard(id), viewer);
    return this.#streamEvents(id, viewer, signal);
  }

  /** A page of an account's own tasks, newest first. */
  async list(
    owner: TaskOwner & Viewer,
    page: { limit: number; offset: number },
  ): Promise<{ tasks: TaskView[]; total: number }> {
    const { rows, total } = await listTasks(this.options.db, owner, page);
    return { tasks: rows.map((row) => this.#view(row.id, row, owner)), total };
  }

  async *#streamEvents(id: string, viewer: Viewer, signal: AbortSignal): AsyncGenerator<ServerEvent> {
    const seen = new Set<string>();
    for await (const task of this.options.reader.follow(id, signal)) {
      const view = this.#view(id, task, viewer);
      const finished = task.node_tasks.filter((nodeTask) => nodeTask.state !== 'pending');
      for (const [index, nodeTask] of finished.entries()) {
        if (seen.has(nodeTask.id)) continue;
        seen.add(nodeTask.id);
        yield { event: 'probe.result', id: nodeTask.id, data: view.node_results[index] };
      }
      if (view.status !== 'running') yield { event: 'probe.done', id, data: view };
    }
  }

  /** Keys of the budgets of every host a request touches; none for hosts in the operator's own ranges. */
  #budgetKeys({ type, spec }: ProbeRequest): string[] {
    const policy = this.options.policy();
    const hosts = touchedHosts(type, spec).filter((host) => host.kind === 'name' || !policy.isExempt(host.address));
    return [...new Set(hosts.flatMap(targetKeys))];
  }

  /** Its results may be here before `store` returns. What was refused, or not stored, only the database knows. */
  async #remember(task: NewTask, store: (task: NewTask) => Promise<NewTask>): Promise<NewTask> {
    const { recent } = this.options;
    recent.add(task);
    let isPending = false;
    try {
      const stored = await store(task);
      isPending = stored.nodeTasks.every(({ refusedCode }) => refusedCode === null);
      return stored;
    } finally {
      if (!isPending) recent.forget([task.id]);
    }
  }

  /** Stores the task. Nodes beyond the budget get a result that says so; none at all within it is refused. */
  async #store(task: NewTask, { keys, weight }: BudgetShare): Promise<NewTask> {
    const { db, dispatch } = this.options;
    if (keys.length === 0) {
      await dispatch.store(task);
      return task;
    }
    if (this.#budgetTurns.isFull(keys)) throw targetRateLimited(task.createdAt, weight);
    const store = async (trx: Knex.Transaction) => {
      const granted = await takeFromBudget(trx, keys, { nodes: task.nodeTasks.length, weight });
      if (granted === 0) throw targetRateLimited(task.createdAt, weight);
      const limited = limitTask(task, keys, granted);
      await insertTasks(trx, [limited]);
      return limited;
    };
    return this.#budgetTurns.run(keys, () => db.transaction(store));
  }

  #view(id: string, task: TaskRow, viewer: Viewer): TaskView {
    const { directory, asnOf } = this.options;
    return taskView(id, task, {
      findNode: (nodeId) => visibleNode(directory.find(nodeId), viewer),
      bannedAt: (nodeId) => directory.bannedAt(nodeId),
      asnOf,
    });
  }
}

/** A node that was public when it measured may be private now: then strangers no longer learn where it stands. */
function visibleNode(node: Node | null, viewer: Viewer): Node | null {
  return node !== null && isVisibleTo(node, viewer) ? node : null;
}

/** What a request takes of which budgets, for each of its nodes. */
interface BudgetShare {
  readonly keys: readonly string[];
  readonly weight: number;
}

function targetWeight({ type, spec }: ProbeRequest): number {
  return definitionOf(type).targetWeight(spec);
}

/** A task of an account is its own; one made without credentials is readable by whoever has the id, but a test key. */
function readable(task: TaskRow | null, viewer: Viewer): TaskRow {
  const isTheirs = task !== null && (task.user_id === null || task.user_id === viewer.userId);
  if (!isTheirs || (viewer.isTest && !task.is_test)) throw new ApiError('PROBE_JOB_NOT_FOUND');
  return task;
}

function newTask(request: ProbeRequest, { userId, isTest }: Viewer, nodes: readonly Node[], now: number): NewTask {
  const [id, ...nodeTaskIds] = sortedIds(nodes.length + 1, now);
  return {
    id,
    userId,
    isTest,
    probeType: request.type,
    target: request.spec.target,
    specJson: JSON.stringify(request.spec),
    createdAt: new Date(now),
    expiresInMs: definitionOf(request.type).deadlineMs(request.spec) + EXPIRY_SLACK_MS,
    targetKeys: null,
    nodeTasks: nodes.map((node, index) => ({ id: nodeTaskIds[index] ?? '', nodeId: node.id, refusedCode: null })),
  };
}

/** The task with all but its first `granted` nodes refused. */
function limitTask(task: NewTask, targetKeys: readonly string[], granted: number): NewTask {
  const nodeTasks = task.nodeTasks.map((nodeTask, index) =>
    index < granted ? nodeTask : { ...nodeTask, refusedCode: 'target_rate_limited' },
  );
  return { ...task, targetKeys, nodeTasks };
}

/** The first whole second from which on a second's worth of its budget is back, and enough for one node. */
function targetRateLimited(now: Date, weight: number): ApiError {
  const seconds = Math.max(1, weight / TARGET_RATE_PER_SECOND);
  const resetsAt = Math.ceil(now.getTime() / 1_000 + seconds) * 1_000;
  const allowance = { limit: TARGET_RATE_PER_SECOND, remaining: 0, resetsAt, isAllowed: false };
  const message = 'is being probed too often; try again later';
  return limitReached('RATE_LIMIT_EXCEEDED', allowance, { target: [{ code: 'refused', message }] });
}

/** Ids of one millisecond are random: sorted, the request comes first and its node tasks keep the order of the nodes. */
function sortedIds(count: number, now: number): [string, ...string[]] {
  const ids = Array.from({ length: count }, () => newId(idPrefixes.probeTask, now)).sort();
  return ids as [string, ...string[]];
}

declare module '../../http/route.js' {
  interface Services {
    readonly probes: Probes;
  }
}
