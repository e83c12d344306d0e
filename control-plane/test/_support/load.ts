import { finishedTask, submit } from './probes.js';
import type { SlowTarget } from './slow-target.js';
import type { TestApi } from './stack.js';

/** Requests that continue until they are stopped, and their outcomes. */
export interface Load {
  /** Ids of the tasks whose submission was confirmed. */
  readonly accepted: string[];
  /** Requests with an unexpected response, one line each. */
  readonly failures: string[];
  /** Number of submissions refused because no node was linked at that moment. */
  refusals: number;
  /** Resolves when the last request has its response. */
  stop(): Promise<void>;
}

/** Submits http probes of `target`, `width` at a time, each with a unique name, and waits for each to end. */
export function startLoad(api: TestApi, target: SlowTarget, { callers = 3, name = 'load' } = {}): Load {
  let isStopped = false;
  let count = 0;
  const load = { accepted: [] as string[], failures: [] as string[], refusals: 0 };
  const once = async () => {
    count += 1;
    const body = {
      target: target.url(`/after/${(count * 37) % 300}?${name}=${count}`),
      params: { timeout_ms: 30_000 },
    };
    const { taskId } = await submit(api, 'http', body);
    load.accepted.push(taskId);
    const task = await finishedTask(api, taskId);
    if (task === undefined) throw new Error(`no answer for ${taskId}`);
  };
  const caller = async () => {
    while (!isStopped) {
      try {
        await once();
      } catch (error) {
        const line = error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error);
        if (/no node is online/.test(line)) load.refusals += 1;
        else load.failures.push(line);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };
  const running = Promise.all(Array.from({ length: callers }, caller));
  return Object.assign(load, {
    async stop() {
      isStopped = true;
      await running;
    },
  });
}
