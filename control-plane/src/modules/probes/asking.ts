import type { Clock } from '@vantage/shared/clock.js';
import type { AgentResult } from '@vantage/shared/probe-types/node-result.js';
import type { Dispatch } from './dispatch.js';
import { newTask } from './new-task.js';
import type { RecentTasks } from './recent-tasks.js';
import type { NewTask, NodeTaskRow } from './store.js';
import type { TaskReader } from './task-reader.js';
import type { Measured, TaskWriter } from './task-writer.js';

/** Reply of a node to a question: its result, or the reason why it sent none. */
export type NodeReply = { readonly result: AgentResult } | { readonly lostCode: string };

interface AskingOptions {
  readonly clock: Clock;
  readonly dispatch: Pick<Dispatch, 'send'>;
  readonly recent: RecentTasks;
  readonly writer: TaskWriter;
  readonly reader: TaskReader;
}

const noOwner = { ownerId: null, isTest: false };

/** Questions of the service itself to a single node, by the same tables, budgets and deadlines as probes. */
export class Asking {
  constructor(private readonly options: AskingOptions) {}

  /**
   * Reply of the node, however long it takes: a task ends with the deadline of its type at the latest. Null: aborted.
   * @throws ApiError RATE_LIMIT_EXCEEDED when the budget of the target is used up
   */
  async ask(question: Measured, nodeId: string, signal: AbortSignal): Promise<NodeReply | null> {
    const { clock, dispatch, reader, recent, writer } = this.options;
    const planned: NewTask = { ...newTask(question, noOwner, [{ id: nodeId }], clock.now()), isInternal: true };
    recent.add(planned);
    const stored = await writer.write(planned, question).catch((error: unknown) => {
      recent.forget([planned.id]);
      throw error;
    });
    dispatch.send(stored);
    let last: NodeTaskRow | undefined;
    for await (const task of reader.follow(stored.id, signal)) last = task.node_tasks[0];
    return last === undefined || last.state === 'pending' ? null : replyOf(last);
  }
}

function replyOf({ state, result, lost_code }: NodeTaskRow): NodeReply {
  if (state === 'done' && result !== null) return { result: result as unknown as AgentResult };
  return { lostCode: lost_code ?? 'node_lost' };
}
