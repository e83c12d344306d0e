import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import type { NodeSelection } from '../modules/nodes/index.js';
import type { ProbeCreated, TaskView } from '../modules/probes/index.js';
import type { ApiClient } from './api-client.js';

/** A probe request as the API takes it. */
export interface ProbeOrder {
  readonly type: ProbeType;
  readonly target: string;
  readonly params: object;
  readonly nodes?: NodeSelection;
  readonly nodeIds?: readonly string[];
}

/** Submits a probe and follows its events; `onProgress` hears how many nodes have answered. */
export async function runProbe(
  client: ApiClient,
  order: ProbeOrder,
  onProgress: (answered: number, asked: number) => void,
): Promise<TaskView> {
  const created = await client.call<ProbeCreated>('POST', `/v1/probe/${order.type}`, {
    target: order.target,
    params: order.params,
    ...(order.nodes === undefined ? {} : { nodes: order.nodes }),
    ...(order.nodeIds === undefined ? {} : { node_ids: order.nodeIds }),
  });
  const asked = created.task_ids.length;
  let answered = 0;
  onProgress(answered, asked);
  for await (const { event, data } of client.events(`/v1/probe/tasks/${created.task_id}/events`)) {
    if (event === 'probe.done') return data as TaskView;
    answered += 1;
    onProgress(answered, asked);
  }
  // the stream was cut, for one by a restart of the server: the task goes on
  return client.call<TaskView>('GET', `/v1/probe/tasks/${created.task_id}?wait=30`);
}
