import type { SectionName } from '@vantage/shared/diagnose/finding-table.js';
import type { FittedReport } from '@vantage/shared/diagnose/fit-report.js';
import type { HeadersOutcome, SingleResult } from '@vantage/shared/diagnose/report.js';
import type { PlannedTask } from '@vantage/shared/diagnose/task-plan.js';
import type { Probes } from '../probes/index.js';

/** Kinds of tasks of a report; `plain_http` is the second attempt at section http. Headers are a question without a task. */
export type TaskKind = Exclude<PlannedTask['kind'], 'headers'> | 'plain_http';

/** Ids of the tasks that were created so far, by kind: one for each portion of the nodes, or for each attempt at the zone audit. */
export type SentTasks = Readonly<Partial<Record<TaskKind, readonly string[]>>>;

/** Outcome of the question for headers. */
export interface StoredHeaders extends SingleResult<HeadersOutcome> {
  /** True if a node was asked for this report. */
  readonly wasAsked: boolean;
}

/** Proof of the node tests that were taken. */
export type Receipt = Parameters<Probes['refundNodeTests']>[0];

/** Fields of a report that lists show. */
export interface ListedReport {
  readonly id: string;
  readonly owner_id: string | null;
  readonly is_test: boolean;
  readonly target: string;
  readonly scope: readonly SectionName[];
  readonly shared: boolean;
  readonly status: 'running' | 'completed' | 'failed';
  readonly overall_score: number | null;
  readonly created_at: Date;
  readonly completed_at: Date | null;
}

/** A stored report. */
export interface ReportRow extends ListedReport {
  readonly node_ids: readonly string[];
  readonly tasks: SentTasks;
  /** Null if not yet known. */
  readonly headers: StoredHeaders | null;
  /** Null until it has ended. */
  readonly report: FittedReport | null;
  /** True once its deadline has passed. */
  readonly is_over: boolean;
}

/** Part of a report by which its refund is calculated. */
export interface PaidReport extends Pick<ReportRow, 'node_ids' | 'tasks' | 'headers'> {
  readonly receipt: Receipt | null;
  /** Node tests that were taken. */
  readonly cost: number;
}
