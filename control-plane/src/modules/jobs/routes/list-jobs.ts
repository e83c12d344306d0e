import { Type } from 'typebox';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { jobView } from '../index.js';
import { JobSchema, JobStateSchema, JobTypeSchema } from '../schema.js';

export const listJobs = defineRoute({
  operationId: 'listJobs',
  method: 'GET',
  path: '/v1/admin/jobs',
  summary: 'List background jobs',
  description: 'Lists background work that waits, runs or has failed, for example mails to send. Newest first.',
  tag: 'Administration',
  auth: { kind: 'admin' },
  query: Type.Object({ ...pageQuery, state: Type.Optional(JobStateSchema), type: Type.Optional(JobTypeSchema) }),
  replies: { 200: Type.Object({ items: Type.Array(JobSchema) }) },
  errors: [],
  async handle({ query }, { jobs: queue }) {
    const page = pageOf(query);
    const { jobs, total } = await queue.list(query, page);
    return { status: 200, data: { items: jobs.map(jobView) }, pagination: pagination(page, total) };
  },
});
