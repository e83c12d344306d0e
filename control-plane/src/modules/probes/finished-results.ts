import type { ProbeErrorCode } from '@vantage/shared/probe-types/error-codes.js';
import { failedResult } from '@vantage/shared/probe-types/failed-result.js';
import { isMeasurementType, type ProbeResults, type ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import type { AgentResult } from '@vantage/shared/probe-types/node-result.js';
import type { NodeTaskRow, TaskRow } from './store.js';
import { lostMessages } from './view.js';

/** Result of one node of a task. */
export interface FinishedResult {
  readonly nodeId: string;
  readonly result: ProbeResults[keyof ProbeResults];
}

/** Reply of a node to a question: its result, or the reason why it sent none. */
export type NodeReply = { readonly result: AgentResult } | { readonly lostCode: string };

/** Reply of a node task that has ended. */
export function replyOf({ state, result, lost_code }: NodeTaskRow): NodeReply {
  if (state === 'done' && result !== null) return { result: result as unknown as AgentResult };
  return { lostCode: lost_code ?? 'node_lost' };
}

const known = new WeakMap<TaskRow, FinishedResult[]>();

/**
 * Results of the node tasks that have ended, in the order of the nodes; a node task without a result has a failed one. Those of one row
 * are one list.
 */
export function finishedResults(task: TaskRow): FinishedResult[] {
  const results = known.get(task) ?? listResults(task);
  known.set(task, results);
  return results;
}

function listResults({ probe_type: type, spec, node_tasks }: TaskRow): FinishedResult[] {
  if (!isMeasurementType(type)) throw new Error(`stored task of unknown type "${type}"`);
  return node_tasks.flatMap(({ node_id: nodeId, state, result, lost_code }) => {
    if (state === 'pending') return [];
    if (state === 'done' && result !== null) return [{ nodeId, result: result as unknown as FinishedResult['result'] }];
    const code = (lost_code ?? 'node_lost') as ProbeErrorCode;
    const error = { code, message: lostMessages[code] ?? code };
    return [{ nodeId, result: failedResult(type, spec as ProbeSpecs[typeof type], error) }];
  });
}
