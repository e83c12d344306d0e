import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import type { NodeSelection } from '../modules/nodes/index.js';
import type { ProbeCreated, TaskView } from '../modules/probes/index.js';
import { type ApiClient, ApiUnreachable } from './api-client.js';

/** A probe request as the API takes it. */
export interface ProbeOrder {
  readonly type: ProbeType;
  readonly target: string;
  readonly params: object;
  readonly nodes?: NodeSelection;
  readonly nodeIds?: readonly string[];
  /** True if everyone with the link may read the results. */
  readonly shared?: boolean;
}

/** Receives the number of nodes that have replied, while a probe runs. */
export type ProbeWatcher = (answered: number, asked: number) => void;

/**
 * Submits a probe and follows it to its end.
 * @throws ApiRefusal, ApiUnreachable
 */
export async function runProbe(client: ApiClient, order: ProbeOrder, onProgress: ProbeWatcher): Promise<TaskView> {
  const created = await client.call<ProbeCreated>('POST', `/v1/probe/${order.type}`, {
    target: order.target,
    params: order.params,
    ...(order.nodes === undefined ? {} : { nodes: order.nodes }),
    ...(order.nodeIds === undefined ? {} : { node_ids: order.nodeIds }),
    ...(order.shared === undefined ? {} : { shared: order.shared }),
  });
  const asked = created.task_ids.length;
  onProgress(0, asked);
  try {
    const done = await followEvents(client, created.task_id, (answered) => onProgress(answered, asked));
    return done ?? (await waitForEnd(client, created.task_id));
  } catch (error) {
    if (!(error instanceof ApiUnreachable)) throw error;
    throw new ApiUnreachable(`${error.message}; the probe continues as ${created.task_id}`, { cause: error });
  }
}

/** Finished task; null if the stream was cut earlier, for example by a restart of the server: the task continues. */
async function followEvents(
  client: ApiClient,
  taskId: string,
  onAnswer: (answered: number) => void,
): Promise<TaskView | null> {
  let answered = 0;
  try {
    for await (const { event, data } of client.events(`/v1/probe/tasks/${taskId}/events`)) {
      if (event === 'probe.done') return data as TaskView;
      answered += 1;
      onAnswer(answered);
    }
  } catch (error) {
    if (!(error instanceof ApiUnreachable)) throw error;
  }
  return null;
}

async function waitForEnd(client: ApiClient, taskId: string): Promise<TaskView> {
  for (;;) {
    const task = await client.call<TaskView>('GET', `/v1/probe/tasks/${taskId}?wait=30`);
    if (task.status !== 'running') return task;
  }
}
