import type { Clock } from '@vantage/shared/clock.js';
import { isProbeType } from '@vantage/shared/probe-types/index.js';
import type { Dispatch } from './dispatch.js';
import { newTask } from './new-task.js';
import type { RecentTasks } from './recent-tasks.js';
import type { NewTask } from './store.js';
import type { Measured, Note, TaskWriter } from './task-writer.js';

/** Task that another module creates on nodes of its choice, and has paid for. */
export interface Submitted extends Measured {
  readonly nodeIds: readonly string[];
  readonly ownerId: string | null;
  readonly isTest: boolean;
  /** Present for a question of the service itself: no caller reads the task. */
  readonly isInternal?: true;
}

interface SubmittingOptions {
  readonly clock: Clock;
  readonly dispatch: Pick<Dispatch, 'send'>;
  readonly recent: RecentTasks;
  readonly writer: TaskWriter;
  readonly metrics: { countTask(type: string, seconds: number): void };
}

/** Tasks of other modules, which wait for the budget of their target instead of being refused. */
export class Submitting {
  constructor(private readonly options: SubmittingOptions) {}

  /** Stores and sends a task, and returns its id; null if the budget has no room for all of its nodes, or `note` refuses it. */
  async submit({ nodeIds, ownerId, isTest, isInternal, ...measured }: Submitted, note: Note): Promise<string | null> {
    const { clock, dispatch, metrics, recent, writer } = this.options;
    const startedMs = clock.monotonicMs();
    const nodes = nodeIds.map((id) => ({ id }));
    const planned: NewTask = {
      ...newTask(measured, { ownerId, isTest }, nodes, clock.now()),
      ...(isInternal === undefined ? {} : { isInternal }),
    };
    // results may arrive before the task is stored
    recent.add(planned);
    const stored = await writer.writeWhole(planned, measured, note).catch((error: unknown) => {
      recent.forget([planned.id]);
      throw error;
    });
    if (stored === null) {
      recent.forget([planned.id]);
      return null;
    }
    dispatch.send(stored);
    if (isProbeType(measured.type)) metrics.countTask(measured.type, (clock.monotonicMs() - startedMs) / 1_000);
    return stored.id;
  }
}
