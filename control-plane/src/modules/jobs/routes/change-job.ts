import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { defineRoute } from '../../../http/route.js';
import { jobView } from '../index.js';
import { JobSchema } from '../schema.js';

const tag = 'Administration';
const auth = { kind: 'admin' } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

export const retryJob = defineRoute({
  operationId: 'retryJob',
  method: 'POST',
  path: '/v1/admin/jobs/{id}/retry',
  summary: 'Run a job again',
  description: 'Runs a dead or waiting job at once, with all its attempts restored.',
  tag,
  auth,
  params,
  replies: { 200: JobSchema },
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handle(request, { jobs }) {
    return { status: 200, data: jobView(await jobs.retry(request.params.id, actorOf(request))) };
  },
});

export const deleteJob = defineRoute({
  operationId: 'deleteJob',
  method: 'DELETE',
  path: '/v1/admin/jobs/{id}',
  summary: 'Delete a dead job',
  description: 'The work of the job is never done.',
  tag,
  auth,
  params,
  replies: { 200: Type.Null() },
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handle(request, { jobs }) {
    await jobs.delete(request.params.id, actorOf(request));
    return { status: 200, data: null };
  },
});
