import { type SectionName, sectionNames } from '@vantage/shared/diagnose/finding-table.js';
import { type DiagnoseTarget, hostText, parseDiagnoseTarget } from '@vantage/shared/diagnose/target.js';
import { type PlannedTask, planTasks } from '@vantage/shared/diagnose/task-plan.js';
import { TargetError } from '@vantage/shared/target-policy/target-error.js';
import { ApiError } from '../../http/errors.js';
import type { NodeSelection } from '../nodes/index.js';
import type { Probes } from '../probes/index.js';
import { reportSpec } from './probe-spec.js';

/** Body of POST /v1/diagnose, after validation against its schema. */
export interface DiagnoseBody {
  readonly target: string;
  readonly scope?: readonly SectionName[];
  readonly node_ids?: readonly string[];
  readonly nodes?: NodeSelection;
  readonly shared?: boolean;
}

type Requests = Parameters<Probes['chooseShared']>[0];

/** A request that was read. */
export interface DiagnoseRequest {
  readonly target: DiagnoseTarget;
  /** The target as it is stored and shown; reading it again gives the same one. */
  readonly text: string;
  readonly scope: ReadonlySet<SectionName>;
  /** Probes that its nodes share; the first one is that of http, whose URL has the port of the target. */
  readonly requests: Requests;
}

/** Nodes where a request names neither nodes nor a limit. */
const DEFAULT_NODES = 3;

/**
 * Reads a request. The nodes that it asks for decide if it is too long, whether there are as many or not: a request is not refused
 * today and accepted tomorrow.
 * @throws ApiError VALIDATION_FAILED, PROBE_TARGET_INVALID, DIAGNOSE_REPORT_TOO_LONG
 */
export function readRequest(body: DiagnoseBody): DiagnoseRequest {
  const target = readTarget(body.target);
  const scope = new Set(body.scope ?? sectionNames);
  const nodeIds = body.node_ids ?? null;
  if (nodeIds !== null && body.nodes !== undefined) throw contradictory();
  const plan = planTasks(target, scope, nodeIds?.length ?? body.nodes?.limit ?? DEFAULT_NODES);
  if (plan.isTooLong) throw tooLong(plan.nodes);
  const nodes = { nodeIds, selection: body.nodes ?? {} };
  const http = { type: 'http', spec: reportSpec('http', target.url), ...nodes } as const;
  const others = plan.tasks.flatMap((task) => {
    const type = probeTypeOf(task);
    return type === null ? [] : [{ type, spec: reportSpec(type, task.target), ...nodes }];
  });
  const text = target.plainUrl === null ? target.url : hostText(target.host);
  return { target, text, scope, requests: [http, ...others] };
}

/** Number of node tests that a report takes. */
export function costOf({ target, scope }: Pick<DiagnoseRequest, 'target' | 'scope'>, nodes: number): number {
  const plan = planTasks(target, scope, nodes);
  if (plan.isTooLong) throw tooLong(plan.nodes);
  return plan.nodeTasks;
}

/** Probe type of a task on all nodes; null for http, which every request has, and for a question that one node answers. */
function probeTypeOf({ kind, on }: PlannedTask) {
  return on === 'one' || kind === 'http' || kind === 'headers' || kind === 'zone_audit' ? null : kind;
}

function readTarget(text: string): DiagnoseTarget {
  try {
    return parseDiagnoseTarget(text);
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    const { kind, field, code, message } = error;
    throw new ApiError(kind === 'refused' ? 'PROBE_TARGET_INVALID' : 'VALIDATION_FAILED', {
      details: { [field]: [{ code, message }] },
    });
  }
}

function contradictory(): ApiError {
  return new ApiError('VALIDATION_FAILED', {
    details: {
      node_ids: [{ code: 'conflict', message: 'excludes nodes' }],
      nodes: [{ code: 'conflict', message: 'excludes node_ids' }],
    },
  });
}

function tooLong(room: number): ApiError {
  const message = `this scope leaves room for ${room} nodes: name fewer nodes, send a smaller limit, or a smaller scope`;
  return new ApiError('DIAGNOSE_REPORT_TOO_LONG', { details: { nodes: [{ code: 'range', message }] } });
}
