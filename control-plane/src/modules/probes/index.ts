import type { Clock } from '@vantage/shared/clock.js';
import type { AsnOf } from '@vantage/shared/probe-types/definition.js';
import { isProbeType, type ProbeType } from '@vantage/shared/probe-types/index.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { Knex } from 'knex';
import type { Actor } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';
import type { Bus } from '../../bus/bus.js';
import { ApiError } from '../../http/errors.js';
import type { JsonText } from '../../http/json-text.js';
import type { Caller, RateLimiter } from '../../http/rate-limit.js';
import type { ServerEvent } from '../../http/route.js';
import { type Viewer, viewerOf } from '../../http/viewer.js';
import type { Owner } from '../../owners/index.js';
import type { Plans } from '../../plans/index.js';
import { Slices } from '../../runtime/slices.js';
import { isVisibleTo, type Node, type NodeDirectory, statusOf } from '../nodes/index.js';
import { checkedBody } from './checked-body.js';
import { type FinishedResult, finishedResults, type NodeReply, replyOf } from './finished-results.js';
import { KnownViews } from './large-tasks.js';
import type { Measured, TaskRequest } from './new-task.js';
import { type NodeTestReceipt, type TakenNodeTests, takeNodeTests } from './node-test-quota.js';
import {
  checkTarget,
  chooseNodes,
  chooseSharedNodes,
  type ProbeRequest,
  toProbeRequest,
  unfitNodes,
} from './probe-request.js';
import type { ProbeWork } from './probe-work.js';
import {
  listTasks,
  MAX_PAGE_BYTES,
  type NodeTaskRow,
  PageTooLargeError,
  type TaskRow,
  type UnfitNodeRow,
  updateShared,
} from './store.js';
import { type Note, TaskCreation } from './task-creation.js';
import type { TaskReader } from './task-reader.js';
import { TaskWaits, type WaitLimits } from './task-waits.js';
import { linksOf, placeOf, type TaskView, taskView } from './view.js';

export type { NodeReply } from './finished-results.js';
export { openProbeWork, type ProbeWork } from './probe-work.js';
export { TARGET_BURST, TARGET_MAX_AT_ONCE, TARGET_RATE_PER_SECOND } from './target-budget.js';
export type { NodeResultView, TaskView } from './view.js';

interface ProbesOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly directory: NodeDirectory;
  readonly bus: Bus;
  readonly work: ProbeWork;
  readonly reader: TaskReader;
  /** Returns the current policy: deny lists change at run time. */
  readonly policy: () => TargetPolicy;
  readonly limiter: RateLimiter;
  readonly plans: Plans;
  /** Address of this service, without a final slash. */
  readonly publicUrl: string;
  /** Looks up the autonomous system of an address. */
  readonly asnOf: AsnOf;
  readonly metrics: {
    countTask(type: string, seconds: number): void;
    countResult(type: string, outcome: string): void;
  };
}

/** Response to the creation of a probe (API specification 2.7). */
export interface ProbeCreated {
  readonly task_id: string;
  readonly task_ids: readonly string[];
  readonly status: 'queued';
  /** Nodes that were selected and cannot run the probe, if fewer nodes than wanted can; absent: none. */
  readonly unfit_nodes?: readonly UnfitNodeRow[];
  /** Address of the task in the API. */
  readonly url: string;
  /** Page of the results, to share; null if only the account can read them. */
  readonly page: string | null;
}

/** One-shot probes: requests, their tasks and results. */
export class Probes {
  /** Part of probes that links use. */
  readonly work: ProbeWork;
  readonly #tasks: TaskCreation;
  readonly #waits: TaskWaits;
  readonly #views = new KnownViews<TaskView>();

  constructor(private readonly options: ProbesOptions) {
    const { work } = options;
    this.work = work;
    this.#tasks = new TaskCreation({ ...options, ...work });
    this.#waits = new TaskWaits({ ...options, ...work });
  }

  /**
   * Stores a request and sends it to the chosen nodes. Each of them costs the caller one node test.
   * @throws ApiError VALIDATION_FAILED, FORBIDDEN, PROBE_TARGET_INVALID, NODE_NOT_FOUND, NODE_OFFLINE, QUOTA_EXCEEDED,
   * RATE_LIMIT_EXCEEDED, UNAVAILABLE
   */
  async create(request: ProbeRequest, caller: Caller): Promise<ProbeCreated> {
    const { clock, metrics, publicUrl } = this.options;
    const startedMs = clock.monotonicMs();
    const viewer = viewerOf(caller.account);
    // no one is to see what test keys create
    if (request.isShared === true && viewer.isTest) throw new ApiError('FORBIDDEN');
    checkTarget(request, this.options.policy());
    const choice = { request, ...this.#choiceFor(viewer) };
    const nodes = chooseNodes(choice);
    const unfit = unfitNodes(choice, nodes.length).map(({ nodeId, lacks }) => ({ node_id: nodeId, lacks }));
    const taken = await takeNodeTests(this.options, caller, nodes.length);
    const task: TaskRequest = {
      type: request.type,
      spec: request.spec,
      nodeIds: nodes.map(({ id }) => id),
      ownerId: viewer.ownerId,
      isTest: viewer.isTest,
      ...(request.isShared === undefined ? {} : { isShared: request.isShared }),
      ...(unfit.length === 0 ? {} : { unfitNodes: unfit }),
    };
    const stored = await this.#tasks.create(task).catch(async (error: unknown) => {
      await taken.giveBack();
      throw error;
    });
    metrics.countTask(request.type, (clock.monotonicMs() - startedMs) / 1_000);
    for (const { refusedCode } of stored.nodeTasks) if (refusedCode) metrics.countResult(request.type, refusedCode);
    return {
      task_id: stored.id,
      task_ids: stored.nodeTasks.map((nodeTask) => nodeTask.id),
      status: 'queued',
      ...(unfit.length === 0 ? {} : { unfit_nodes: unfit }),
      ...linksOf(stored.id, { owner_id: viewer.ownerId, shared: request.isShared ?? false }, publicUrl),
    };
  }

  /**
   * Asks one node for the service itself, and resolves with its reply, however long it takes: a task ends with the deadline of
   * its type at the latest. Null if aborted. No caller can list or read the task.
   * @throws ApiError RATE_LIMIT_EXCEEDED when the budget of the target is used up
   */
  async ask({ type, spec }: Measured, nodeId: string, signal: AbortSignal): Promise<NodeReply | null> {
    const task = { type, spec, nodeIds: [nodeId], ownerId: null, isTest: false, isInternal: true } as const;
    const { id } = await this.#tasks.create(task);
    let last: NodeTaskRow | undefined;
    for await (const { node_tasks } of this.options.reader.follow(id, signal)) last = node_tasks[0];
    return last === undefined || last.state === 'pending' ? null : replyOf(last);
  }

  /**
   * Checks the targets of requests that share their nodes, and chooses these.
   * @throws ApiError VALIDATION_FAILED, PROBE_TARGET_INVALID, NODE_NOT_FOUND, NODE_OFFLINE
   */
  chooseShared(requests: readonly [ProbeRequest, ...ProbeRequest[]], viewer: Viewer): Node[] {
    for (const request of requests) checkTarget(request, this.options.policy());
    return chooseSharedNodes(requests, this.#choiceFor(viewer));
  }

  /**
   * Creates a task of another module, which has paid for it; null if the budget of its target has no room for all of its nodes
   * now, or `note` refuses it. `note` joins the transaction.
   */
  async submit(task: TaskRequest, note: Note): Promise<string | null> {
    const { clock, metrics } = this.options;
    const startedMs = clock.monotonicMs();
    const stored = await this.#tasks.createWhole(task, note);
    if (stored === null) return null;
    if (isProbeType(task.type)) metrics.countTask(task.type, (clock.monotonicMs() - startedMs) / 1_000);
    return stored.id;
  }

  /** Results that a task has so far, for the service itself, no matter who may read the task. As far as this replica heard. */
  async heardResults(taskId: string): Promise<FinishedResult[]> {
    const task = await this.options.reader.findHeard(taskId);
    return task === null ? [] : finishedResults(task);
  }

  /** The same as the database has them. */
  async storedResults(taskId: string): Promise<FinishedResult[]> {
    const task = await this.options.reader.find(taskId);
    return task === null ? [] : finishedResults(task);
  }

  /** Returns some of the node tests of a receipt to the quota they were taken from. */
  async refundNodeTests({ quota, allowance }: NodeTestReceipt, count: number): Promise<void> {
    await this.options.limiter.refund(quota, count, allowance);
  }

  /** Takes node tests from the caller's daily quota. @throws ApiError QUOTA_EXCEEDED; then none is taken */
  takeNodeTests(caller: Caller, count: number): Promise<TakenNodeTests> {
    return takeNodeTests(this.options, caller, count);
  }

  /** Returns the current state of a task; that of a large one is the same object until it changes. @throws ApiError PROBE_JOB_NOT_FOUND */
  async get(id: string, viewer: Viewer): Promise<TaskView> {
    return this.#shown(id, readable(await this.options.reader.find(id), viewer), viewer);
  }

  /** Data of a response with a view: the view itself, or the JSON of a large one, which is written once for all its readers. */
  data(view: TaskView): Promise<TaskView | JsonText> {
    return this.#views.data(view);
  }

  /** Changes who may read a task of an account. @throws ApiError FORBIDDEN for a test key, PROBE_JOB_NOT_FOUND */
  async changeSharing(id: string, change: SharingChange, by: { readonly owner: Owner; readonly actor: Actor }) {
    const { db, bus, reader, work } = this.options;
    const row = await reader.find(id);
    if (row === null || row.owner_id !== by.owner.id || (by.owner.isTest && !row.is_test))
      throw new ApiError('PROBE_JOB_NOT_FOUND');
    if (by.owner.isTest) throw new ApiError('FORBIDDEN');
    await db.transaction(async (trx) => {
      if (!(await updateShared(trx, by.owner, { id: row.id, ...change }))) throw new ApiError('PROBE_JOB_NOT_FOUND');
      if (change.shared === undefined) return;
      const action = change.shared ? 'probe_task.shared' : 'probe_task.unshared';
      await insertAuditEntry(trx, { actor: by.actor, accountId: by.owner.id, action, subject: row.id });
    });
    // replicas know the task as it was
    work.recent.forget([row.id]);
    bus.broadcast({ type: 'finished', ids: [row.id] });
  }

  /**
   * Returns a task that everyone may read, as far as this replica knows it, with its parameters and the nodes that
   * were asked. @throws ApiError PROBE_JOB_NOT_FOUND
   */
  async share(id: string) {
    const viewer = viewerOf(null);
    const heard = await this.options.reader.findHeard(id);
    // a node task that is named by its own id is a task of one node, which the database has
    const found = heard === null || heard.id === id ? heard : await this.options.reader.find(id);
    const row = readable(found, viewer);
    const task = await this.#shown(id, row, viewer);
    const nodes = row.node_tasks.map(({ node_id: nodeId, state }) => ({
      ...this.#placed(nodeId),
      isPending: state === 'pending',
    }));
    const unfit = (task.unfit_nodes ?? []).map(({ node_id: nodeId, lacks }) => ({ ...this.#placed(nodeId), lacks }));
    const { params } = row.spec as { readonly params: Readonly<Record<string, unknown>> };
    return { task, params, nodes, unfit };
  }

  /** A node as everyone may see it. */
  #placed(id: string) {
    const node = visibleNode(this.options.directory.find(id), viewerOf(null));
    return { id, name: node?.name ?? null, place: placeOf(node) };
  }

  /**
   * Stores and sends a request of a form, whose body is checked as that of the API.
   * @throws ApiError as `create`
   */
  createFromForm(type: ProbeType, body: unknown, caller: Caller): Promise<ProbeCreated> {
    return this.create(toProbeRequest(type, checkedBody(type, body)), caller);
  }

  /** True if a public node may be asked now. */
  isOnline(nodeId: string): boolean {
    const node = visibleNode(this.options.directory.find(nodeId), viewerOf(null));
    return node !== null && statusOf(node) === 'online';
  }

  /**
   * Returns a task once it is finished, or its state after `seconds`, or when the request has ended.
   * @throws ApiError PROBE_JOB_NOT_FOUND
   */
  async waitFor(id: string, viewer: Viewer, seconds: number, onEnding: WaitLimits['onEnding']): Promise<TaskView> {
    const check = (task: TaskRow | null) => readable(task, viewer);
    const task = await this.#waits.wait(id, { mostMs: seconds * 1_000, onEnding, check });
    return this.#shown(id, readable(task, viewer), viewer);
  }

  /**
   * Streams the results of a task as they arrive, then the finished task.
   * @throws ApiError PROBE_JOB_NOT_FOUND before the first event
   */
  async events(id: string, viewer: Viewer, signal: AbortSignal): Promise<AsyncIterable<ServerEvent>> {
    readable(await this.options.reader.findHeard(id), viewer);
    return this.#streamEvents(id, viewer, signal);
  }

  /** Lists a page of an owner's tasks, newest first. @throws ApiError VALIDATION_FAILED when its results are too large */
  async list(
    { owner, viewer }: { readonly owner: Owner; readonly viewer: Viewer },
    page: { limit: number; offset: number },
    signal: AbortSignal,
  ): Promise<{ tasks: TaskView[]; total: number }> {
    const { rows, total } = await listTasks(this.options.db, owner, page).catch((error: unknown) => {
      throw error instanceof PageTooLargeError ? pageTooLarge() : error;
    });
    const slices = new Slices(signal);
    const tasks: TaskView[] = [];
    for (const row of rows) {
      tasks.push(this.#view(row.id, row, viewer));
      await slices.spend(STEPS_PER_RESULT * row.node_tasks.length);
    }
    return { tasks, total };
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

  #choiceFor(viewer: Viewer) {
    const { directory } = this.options;
    return {
      viewer,
      nodes: [...directory.all()],
      findNode: (id: string) => directory.find(id),
      loadOf: (node: Node) => this.work.dispatch.loadOf(node.id),
      random: Math.random,
    };
  }

  /** As `#view`; a large view is built and rendered in different turns of the event loop. */
  async #shown(id: string, task: TaskRow, viewer: Viewer): Promise<TaskView> {
    const view = this.#view(id, task, viewer);
    await new Slices().spend(STEPS_PER_RESULT * task.node_tasks.length);
    return view;
  }

  #view(id: string, task: TaskRow, viewer: Viewer): TaskView {
    const { directory, asnOf, publicUrl } = this.options;
    const findNode = (nodeId: string) => visibleNode(directory.find(nodeId), viewer);
    const bannedAt = (nodeId: string) => directory.bannedAt(nodeId);
    const shown = () => task.node_tasks.map(({ node_id }) => [placeOf(findNode(node_id)), bannedAt(node_id)]);
    const hidesBody = !isOwn(task, viewer) && !task.shared_body;
    const build = () => taskView(id, task, { findNode, bannedAt, asnOf, publicUrl, hidesBody });
    return this.#views.view(id, task, { shown: () => [hidesBody, shown()], build });
  }
}

/** Steps that showing one result takes: a result may have thousands of records, yet only large tasks wait for a turn. */
const STEPS_PER_RESULT = 20;

/** The node if the viewer may see it; null hides the place of a node that was public when it measured and is private now. */
function visibleNode(node: Node | null, viewer: Viewer): Node | null {
  return node !== null && isVisibleTo(node, viewer) ? node : null;
}

function pageTooLarge(): ApiError {
  const message = `results of these tasks have more than ${MAX_PAGE_BYTES} bytes: send a smaller limit, such as 1`;
  return new ApiError('VALIDATION_FAILED', { status: 422, details: { limit: [{ code: 'range', message }] } });
}

/** Change of who may read a task. */
interface SharingChange {
  readonly shared?: boolean;
  readonly shared_body?: boolean;
}

/** True if a task is the viewer's own, or no one's. */
function isOwn(task: TaskRow, viewer: Viewer): boolean {
  return task.owner_id === null || task.owner_id === viewer.ownerId;
}

/**
 * Returns a task that the viewer may read: a task of an account is readable by that account, a task that is shared, or was created
 * without credentials, by everyone who has its id. Test keys read only tasks of test keys. @throws ApiError PROBE_JOB_NOT_FOUND
 */
function readable(task: TaskRow | null, viewer: Viewer): TaskRow {
  const isTheirs = task !== null && (isOwn(task, viewer) || task.shared);
  if (!isTheirs || task.is_internal || (viewer.isTest && !task.is_test)) throw new ApiError('PROBE_JOB_NOT_FOUND');
  return task;
}

declare module '../../http/route.js' {
  interface Services {
    readonly probes: Probes;
  }
}
