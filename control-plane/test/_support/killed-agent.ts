import type { Test } from 'tap';
import { finishedTask, submit } from './probes.js';
import type { RealAgent } from './real-agent.js';
import type { SlowTarget } from './slow-target.js';
import type { ApiAnswer, TestApi } from './stack.js';
import { watchStalls } from './stalls.js';

let rounds = 0;

/**
 * Kills `victim` during a probe that runs on every node in `nodes`. @returns the finished task, and the time until it
 * finished, without the longest time for which this process stood still
 */
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
  const longestStall = watchStalls();
  const killedAt = await victim.kill();
  if (nodes.length > 1) target.release();
  const task = await finishedTask(api, taskId);
  const [afterMs, stalledMs] = [Date.parse(task.completed_at) - killedAt, Math.round(longestStall())];
  const endedAfterMs = afterMs - stalledMs;
  t.comment(
    `the task ended ${afterMs} ms after kill -9, ${stalledMs} of them in a row without a turn for this process`,
  );
  return { task, endedAfterMs };
}
