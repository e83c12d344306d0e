import type { AsnOf } from '@vantage/shared/probe-types/definition.js';
import type { ProbeErrorCode } from '@vantage/shared/probe-types/error-codes.js';
import { failedResult } from '@vantage/shared/probe-types/failed-result.js';
import { definitionOf, isProbeType, type ProbeSpecs, type ProbeType } from '@vantage/shared/probe-types/index.js';
import type { Node } from '../nodes/index.js';
import type { NodeTaskRow, TaskRow, UnfitNodeRow } from './store.js';
import { isFinished } from './task-reader.js';

/** A node result as the API shows it: the place of the node, and its measurement. */
export interface NodeResultView {
  readonly node_id: string;
  readonly node: ReturnType<typeof placeOf>;
  readonly success: boolean;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly started_at: string | null;
  readonly [field: string]: unknown;
}

/** A task as the API shows it (API specification 2.7). */
export interface TaskView {
  readonly task_id: string;
  readonly probe_type: ProbeType;
  readonly is_test: boolean;
  readonly target: string;
  readonly shared: boolean;
  readonly shared_body: boolean;
  /** Address of the task in the API. */
  readonly url: string;
  /** Page of the results for everyone; null if only the account can read them. */
  readonly page: string | null;
  readonly status: 'running' | 'completed' | 'failed';
  readonly created_at: string;
  readonly completed_at: string | null;
  readonly node_results: readonly NodeResultView[];
  /** Nodes that were selected and cannot run the probe; absent: none. */
  readonly unfit_nodes?: readonly UnfitNodeRow[];
  readonly summary: { readonly success_count: number; readonly fail_count: number; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** Texts about node tasks that ended without a result. */
export const lostMessages: Partial<Record<ProbeErrorCode, string>> = {
  node_lost: 'the node was lost before it sent a result',
  timeout: 'the node did not send a result in time',
  target_rate_limited: 'this target is being probed too often; try again later',
};

/** Lookups that the view of a task needs. */
interface ViewPorts {
  /** Null if there is no such node, or the viewer may not see it. */
  readonly findNode: (id: string) => Node | null;
  /** Time of the ban of a node, also of one that was deleted after it; null if not banned. */
  readonly bannedAt: (id: string) => Date | null;
  readonly asnOf: AsnOf;
  /** Addresses of tasks begin with this one, without a final slash. */
  readonly publicUrl: string;
  /** True if the reader gets no response bodies. */
  readonly hidesBody: boolean;
}

/** Addresses of a task, and who may read it. */
export function linksOf(
  id: string,
  { owner_id, shared }: Pick<TaskRow, 'owner_id' | 'shared'>,
  publicUrl: string,
): Pick<TaskView, 'url' | 'page'> {
  const isOpen = owner_id === null || shared;
  return { url: `${publicUrl}/v1/probe/tasks/${id}`, page: isOpen ? `${publicUrl}/p/${id}` : null };
}

/** Body of a task. `id`: the requested id, of the task or of one of its node tasks. */
export function taskView(id: string, task: TaskRow, ports: ViewPorts): TaskView {
  const { asnOf } = ports;
  const type = task.probe_type;
  if (!isProbeType(type)) throw new Error(`stored task of unknown type "${type}"`);
  const definition = definitionOf(type);
  const spec = task.spec as ProbeSpecs[ProbeType];
  const finished = task.node_tasks.filter((nodeTask) => nodeTask.state !== 'pending');
  const all = finished.map((nodeTask) => nodeResultView(type, spec, nodeTask, ports));
  const results = ports.hidesBody ? all.map(withoutBody) : all;
  const measured = finished.filter((nodeTask) => nodeTask.state === 'done');
  const successCount = results.filter((result) => result.success).length;
  return {
    task_id: id,
    probe_type: type,
    is_test: task.is_test,
    target: task.target,
    // everyone who has the id of a task without an owner may read all of it
    shared: task.owner_id === null || task.shared,
    shared_body: task.owner_id === null || task.shared_body,
    ...linksOf(id, task, ports.publicUrl),
    status: statusOf(task),
    created_at: task.created_at.toISOString(),
    completed_at: isFinished(task) ? lastInstant(finished) : null,
    node_results: results,
    // the task of one node is not that of the selection
    ...(task.unfit_nodes === null || id !== task.id ? {} : { unfit_nodes: task.unfit_nodes }),
    summary: {
      success_count: successCount,
      fail_count: results.length - successCount,
      ...(definition.summarise(measured.map(({ result }) => result)) as object),
    },
    ...(definition.taskFields(
      spec,
      measured.map(({ node_id, result }) => ({ nodeId: node_id, result })),
      asnOf,
    ) as object),
  };
}

/** Result of one finished node task. */
export function nodeResultView(
  type: ProbeType,
  spec: ProbeSpecs[ProbeType],
  nodeTask: NodeTaskRow,
  { findNode, bannedAt }: Pick<ViewPorts, 'findNode' | 'bannedAt'>,
): NodeResultView {
  const common = { node_id: nodeTask.node_id, node: placeOf(findNode(nodeTask.node_id)) };
  if (nodeTask.state === 'done' && nodeTask.result) {
    const result = nodeTask.result as NodeResultView;
    // assign, as a spread behind other members costs V8 twenty times as much (measured 2026-11, Node 20)
    return Object.assign(common, result, nodeTask.late ? { late: true } : null, trustOf(bannedAt(nodeTask.node_id)));
  }
  const code = (nodeTask.lost_code ?? 'node_lost') as ProbeErrorCode;
  const failed = failedResult(type, spec, { code, message: lostMessages[code] ?? code });
  return { ...common, ...failed, started_at: null, duration_ms: 0, disturbed: false, loop_lag_ms: 0 };
}

/** A result without the response body and what was found in it. */
function withoutBody({ body: _body, keywords: _keywords, json_paths: _paths, ...result }: NodeResultView) {
  return result as NodeResultView;
}

/** Fields that mark the result of a node that was banned after it; null if not banned. */
function trustOf(bannedAt: Date | null): { trust: 'banned_since'; banned_at: string } | null {
  return bannedAt === null ? null : { trust: 'banned_since', banned_at: bannedAt.toISOString() };
}

function statusOf(task: TaskRow): TaskView['status'] {
  if (!isFinished(task)) return 'running';
  return task.node_tasks.some((nodeTask) => nodeTask.state === 'done') ? 'completed' : 'failed';
}

function lastInstant(finished: readonly NodeTaskRow[]): string | null {
  const instants = finished.map(({ finished_at }) => Date.parse(finished_at ?? '')).filter((ms) => !Number.isNaN(ms));
  return instants.length === 0 ? null : new Date(Math.max(...instants)).toISOString();
}

/** Place and network of a node, without its coordinates; all null where it is not visible. */
export function placeOf(node: Node | null) {
  return {
    asn: node?.asn ?? null,
    city: node?.city ?? null,
    country: node?.country ?? null,
    isp: node?.isp ?? null,
    region: node?.region ?? null,
  };
}
