import type { ApiAnswer, TestApi } from './stack.js';

/** Submits a probe; returns its ids. @throws Error with the response if it is refused */
export async function submit(
  api: TestApi,
  type: string,
  body: { readonly target: string; readonly [field: string]: unknown },
): Promise<{ taskId: string; taskIds: string[] }> {
  const answer = await api.call('POST', `/v1/probe/${type}`, { body });
  if (answer.status !== 202) throw new Error(`refused with ${answer.status}: ${JSON.stringify(answer.body)}`);
  return { taskId: answer.body.data.task_id, taskIds: answer.body.data.task_ids };
}

/** The task once it has finished, or its state after 30 s. */
export async function finishedTask(api: TestApi, taskId: string): Promise<ApiAnswer['body']> {
  const { body } = await api.call('GET', `/v1/probe/tasks/${taskId}?wait=30`);
  return body.data;
}

/** Submits a probe and waits for its end. */
export async function runProbe(
  api: TestApi,
  type: string,
  body: { readonly target: string; readonly [field: string]: unknown },
): Promise<ApiAnswer['body']> {
  return finishedTask(api, (await submit(api, type, body)).taskId);
}
