import { type DiagnoseInput, wantsPlainHttp } from '@vantage/shared/diagnose/report.js';
import { type PlannedTask, planTasks } from '@vantage/shared/diagnose/task-plan.js';
import type { ReportRow, SentTasks, TaskKind } from './report-row.js';

/**
 * Nodes of one task at most. The budget of a target never has more than 50 tokens, an SSL audit takes four for each node, and
 * at most 30 nodes work on a target at once: a task is created with all of its nodes or not at all.
 */
export const NODES_PER_TASK = 12;
/** Nodes that are asked to audit a zone, one after the other. */
export const ZONE_ATTEMPTS = 2;

/** Step that is to be taken next. */
export type NextStep =
  | { readonly kind: 'headers' }
  | {
      readonly kind: TaskKind;
      /** Number of tasks of this kind before it. */
      readonly portion: number;
      readonly target: string;
      readonly nodeIds: readonly string[];
    };

/** Report so far, as its next step depends on it. */
export interface Progress {
  readonly row: Pick<ReportRow, 'node_ids' | 'tasks' | 'headers' | 'scope' | 'is_over'>;
  readonly input: DiagnoseInput;
  /** Audits of the zone that ended because of their node. */
  readonly failedAudits: number;
  /** True while this replica asks for headers. */
  readonly areHeadersRequested: boolean;
}

/** The next step in the order in which tasks leave; null if nothing is left to do but wait. Pure. */
export function nextStep(progress: Progress): NextStep | null {
  const { row, input } = progress;
  if (row.is_over) return null;
  for (const task of plannedTasks(input, row.node_ids.length)) {
    const step = stepOf(task, progress);
    if (step !== null) return step;
  }
  const { plainUrl } = input.target;
  if (plainUrl === null || !wantsPlainHttp(input)) return null;
  return nextPortion('plain_http', plainUrl, row);
}

/** Number of nodes that tasks of a kind were created for. */
export function sentNodes({ tasks, node_ids }: Pick<ReportRow, 'tasks' | 'node_ids'>, kind: keyof SentTasks): number {
  return Math.min(node_ids.length, (tasks[kind]?.length ?? 0) * NODES_PER_TASK);
}

/** The tasks and one more of a kind. */
export function withTask(tasks: SentTasks, kind: TaskKind, taskId: string): SentTasks {
  return { ...tasks, [kind]: [...(tasks[kind] ?? []), taskId] };
}

function plannedTasks({ target, scope }: DiagnoseInput, nodes: number): readonly PlannedTask[] {
  const plan = planTasks(target, scope, nodes);
  return plan.isTooLong ? [] : plan.tasks;
}

function stepOf({ kind, target }: PlannedTask, { row, failedAudits, areHeadersRequested }: Progress): NextStep | null {
  if (kind === 'headers') return row.headers === null && !areHeadersRequested ? { kind } : null;
  if (kind !== 'zone_audit') return nextPortion(kind, target, row);
  const portion = row.tasks.zone_audit?.length ?? 0;
  const node = row.node_ids[portion];
  if (node === undefined || portion >= ZONE_ATTEMPTS || portion > failedAudits) return null;
  return { kind, portion, target, nodeIds: [node] };
}

function nextPortion(kind: TaskKind, target: string, row: Progress['row']): NextStep | null {
  const portion = row.tasks[kind]?.length ?? 0;
  const nodeIds = row.node_ids.slice(portion * NODES_PER_TASK, (portion + 1) * NODES_PER_TASK);
  return nodeIds.length === 0 ? null : { kind, portion, target, nodeIds };
}
