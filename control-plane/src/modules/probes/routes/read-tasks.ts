import { probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { Type } from 'typebox';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { viewerOf } from '../../nodes/index.js';
import { nodeResultSchema, taskSchema } from '../schema.js';
import type { TaskView } from '../view.js';

const tag = 'Probes';
const auth = { kind: 'public', scope: 'probe:read' } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64, description: 'A task_id, or one of task_ids.' }) });
const AnyTask = Type.Unsafe<TaskView>(Type.Union(probeTypeNames.map(taskSchema)));

/** GET /v1/probe/tasks/{id}. */
export const getTask = defineRoute({
  operationId: 'getProbeTask',
  method: 'GET',
  path: '/v1/probe/tasks/{id}',
  summary: 'Read a probe task',
  description:
    'Results that have come are there while the task is still running. With wait the answer comes when the task is finished, or after that many seconds as it is then. Readable for 7 days. A task made without credentials is readable by whoever has its id, one of an account only by that account; a test key reads only what test keys made.',
  tag,
  auth,
  params,
  query: Type.Object({
    wait: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 30, description: 'Seconds to wait for the end of the task.' }),
    ),
  }),
  replies: { 200: AnyTask },
  errors: ['PROBE_JOB_NOT_FOUND'],
  limit: (search) => (/(?:^|&)wait=/.test(search) ? 'poll' : 'standard'),
  async handle({ params, query, account, signal }, { probes }) {
    const viewer = viewerOf(account);
    const { wait } = query;
    const task =
      wait === undefined ? await probes.get(params.id, viewer) : await probes.waitFor(params.id, viewer, wait, signal);
    return { status: 200, data: task };
  },
});

/** GET /v1/probe/tasks/{id}/events. */
export const streamTask = defineRoute({
  operationId: 'streamProbeTask',
  method: 'GET',
  path: '/v1/probe/tasks/{id}/events',
  summary: 'Stream the results of a probe task',
  description:
    'Server-Sent Events: `probe.result` for each node result as it comes (id: the node task), then `probe.done` with the whole task, then the stream ends.',
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

/** GET /v1/probe/tasks. */
export const listTasks = defineRoute({
  operationId: 'listProbeTasks',
  method: 'GET',
  path: '/v1/probe/tasks',
  summary: 'List your probe tasks',
  description: 'Newest first, those of the last 7 days; for a test key those that test keys made.',
  tag,
  auth: { kind: 'scope', scope: 'probe:read' },
  query: Type.Object({ ...pageQuery }),
  replies: { 200: Type.Object({ items: Type.Array(AnyTask) }) },
  errors: [],
  async handle({ query, account }, { probes }) {
    const page = pageOf(query);
    const { tasks, total } = await probes.list({ ...viewerOf(account), userId: account.userId }, page);
    return { status: 200, data: { items: tasks }, pagination: pagination(page, total) };
  },
});
