import { probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { JsonText } from '../../../http/json-text.js';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { viewerOf } from '../../../http/viewer.js';
import { nodeResultSchema, TaskChangeSchema, taskSchema } from '../schema.js';
import type { TaskView } from '../view.js';

const tag = 'Probes';
const auth = { kind: 'public', scope: 'probe:read' } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64, description: 'A `task_id`, or one of `task_ids`.' }) });
const AnyTask = Type.Unsafe<TaskView>(Type.Union(probeTypeNames.map(taskSchema)));

export const getTask = defineRoute({
  operationId: 'getProbeTask',
  method: 'GET',
  path: '/v1/probe/tasks/{id}',
  summary: 'Get a probe task',
  description:
    'A running task has the results that have arrived so far. With `wait`, the response is sent when the task is finished, or after that number of seconds with its state at that time. Tasks are readable for 7 days. A task that was created without credentials, or is shared, is readable by everyone who has its id, another task of an account only by that account. Other readers of a shared task get no response body, unless `shared_body` is true. Test keys read only tasks that test keys created.',
  tag,
  auth,
  params,
  query: Type.Object({
    wait: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 30,
        description: 'Longest time to wait for the end of the task, in seconds.',
      }),
    ),
  }),
  replies: { 200: AnyTask },
  errors: ['PROBE_JOB_NOT_FOUND'],
  limit: (search) => (/(?:^|&)wait=/.test(search) ? 'poll' : 'standard'),
  async handle(request, { probes }) {
    const { id } = request.params;
    const { wait } = request.query;
    const viewer = viewerOf(request.account);
    const onEnding = request.onEnding.bind(request);
    const task = await (wait === undefined ? probes.get(id, viewer) : probes.waitFor(id, viewer, wait, onEnding));
    const data = await probes.data(task);
    return data instanceof JsonText ? { status: 200, data } : { status: 200, data };
  },
});

export const changeTask = defineRoute({
  operationId: 'updateProbeTask',
  method: 'PATCH',
  path: '/v1/probe/tasks/{id}',
  summary: 'Share a probe task',
  description:
    'While a task is shared, everyone who has its id can read it, and its page. Request headers and request body are never shown to others, the response body only with `shared_body`. A task that was created without credentials has no owner, and cannot be changed. Not for test keys.',
  tag,
  auth: { kind: 'scope', scope: 'probe' },
  isOpenToUnverified: true,
  params,
  body: TaskChangeSchema,
  bodyExample: { shared: true },
  replies: { 200: AnyTask },
  errors: ['VALIDATION_FAILED', 'FORBIDDEN', 'PROBE_JOB_NOT_FOUND'],
  async handle(request, { probes }) {
    const { params, body, account } = request;
    await probes.changeSharing(params.id, body, { owner: account.owner, actor: actorOf(request) });
    const data = await probes.data(await probes.get(params.id, viewerOf(account)));
    return data instanceof JsonText ? { status: 200, data } : { status: 200, data };
  },
});

export const streamTask = defineRoute({
  operationId: 'streamProbeTask',
  method: 'GET',
  path: '/v1/probe/tasks/{id}/events',
  summary: 'Stream the results of a probe task',
  description:
    'Server-Sent Events: one `probe.result` for each node result when it arrives, with the id of the node task, then `probe.done` with the whole task. Then the stream ends.',
  tag,
  auth,
  params,
  replies: { 200: Type.Union([...probeTypeNames.map(nodeResultSchema), ...probeTypeNames.map(taskSchema)]) },
  replyKind: 'events',
  errors: ['PROBE_JOB_NOT_FOUND'],
  limit: 'poll',
  async handle({ params, account, signal }, { probes }) {
    return { status: 200, events: await probes.events(params.id, viewerOf(account), signal) };
  },
});

export const listTasks = defineRoute({
  operationId: 'listProbeTasks',
  method: 'GET',
  path: '/v1/probe/tasks',
  summary: 'List your probe tasks',
  description:
    'Lists the tasks of the last 7 days, newest first. Test keys list only tasks that test keys created. A page of several tasks with more than 4 MiB of results is refused: request a smaller page.',
  tag,
  auth: { kind: 'scope', scope: 'probe:read' },
  query: Type.Object({ ...pageQuery }),
  replies: { 200: Type.Object({ items: Type.Array(AnyTask) }) },
  errors: ['VALIDATION_FAILED'],
  async handle({ query, account, signal }, { probes }) {
    const page = pageOf(query);
    const { tasks, total } = await probes.list({ owner: account.owner, viewer: viewerOf(account) }, page, signal);
    return { status: 200, data: { items: tasks }, pagination: pagination(page, total) };
  },
});
