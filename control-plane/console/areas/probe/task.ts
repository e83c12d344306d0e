import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import type { AgentResult } from '@vantage/shared/probe-types/node-result.js';
import type { getTask } from '../../../src/modules/probes/routes/tasks.js';
import type { NodeResultView } from '../../../src/modules/probes/view.js';
import type { DataOf } from '../../api/call.js';

export type Task = DataOf<typeof getTask>;

/** Result of a node by its type. */
export type NodeResult<T extends ProbeType = ProbeType> = AgentResult<T> & Pick<NodeResultView, 'node_id' | 'node'>;

/** Results of a task, as those of the type that it has. */
export function resultsOf<T extends ProbeType>(task: Task): readonly NodeResult<T>[] {
  return task.node_results as unknown as readonly NodeResult<T>[];
}
