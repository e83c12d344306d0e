import type { Test } from 'tap';
import { finishedTask, submit } from './probes.js';
import type { RealAgent } from './real-agent.js';
import type { SlowTarget } from './slow-target.js';
import type { ApiAnswer, TestApi } from './stack.js';

let rounds = 0;

/** Kills `victim` in the middle of a probe that every node in `nodes` runs; the task as it ended, and after how long. */
export async function killMidProbe(
  t: Test,
  api: TestApi,
  { victim, nodes, target }: { victim: RealAgent; nodes: readonly RealAgent[]; target: SlowTarget },
): Promise<{ task: ApiAnswer['body']; endedAfterMs: number }> {
  rounds += 1;
  const before = target.requests.length;
  const { taskId } = await submit(api, 'http', {
    target: target.url(`/held?round=${rounds}`),
    params: { timeout_ms: 30_000 },
    node_ids: nodes.map(({ nodeId }) => nodeId),
  });
  await target.waitForRequests(before + nodes.length);
  const killedAt = await victim.kill();
  if (nodes.length > 1) target.release();
  const task = await finishedTask(api, taskId);
  const endedAfterMs = Date.parse(task.completed_at) - killedAt;
  t.comment(`the task ended ${endedAfterMs} ms after kill -9`);
  return { task, endedAfterMs };
}
