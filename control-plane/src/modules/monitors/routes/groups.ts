import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { MonitorGroupChangeSchema, MonitorGroupCreateSchema, MonitorGroupSchema } from '../definition/schema.js';
import { groupView } from '../reading/view.js';
import { idParams as params, reads, tag, writes } from './monitor-access.js';

/** GET /v1/monitor-groups (API specification 2.4). */
export const listMonitorGroups = defineRoute({
  operationId: 'listMonitorGroups',
  method: 'GET',
  path: '/v1/monitor-groups',
  summary: 'List your groups of monitors',
  description: 'Sorted by `sort_order`, then by creation.',
  tag,
  auth: reads,
  query: Type.Object({ ...pageQuery }),
  replies: { 200: Type.Object({ items: Type.Array(MonitorGroupSchema) }, { additionalProperties: false }) },
  errors: ['VALIDATION_FAILED'],
  async handle({ query, account }, { monitors }) {
    const page = pageOf(query);
    const { rows, total } = await monitors.groups.list(account, page);
    return { status: 200, data: { items: rows.map(groupView) }, pagination: pagination(page, total) };
  },
});

/** POST /v1/monitor-groups (API specification 2.4). */
export const createMonitorGroup = defineRoute({
  operationId: 'createMonitorGroup',
  method: 'POST',
  path: '/v1/monitor-groups',
  summary: 'Create a group of monitors',
  description: 'Set `group_id` of a monitor to put it into the group. An account may have 1000 groups.',
  tag,
  auth: writes,
  body: MonitorGroupCreateSchema,
  bodyExample: { name: 'Production', sort_order: 1 },
  replies: { 201: MonitorGroupSchema },
  errors: ['VALIDATION_FAILED'],
  async handle(request, { monitors }) {
    const { account, body } = request;
    const group = await monitors.groups.create(body, { account, actor: actorOf(request) });
    return { status: 201, data: groupView(group) };
  },
});

/** GET /v1/monitor-groups/{id} (API specification 2.4). */
export const getMonitorGroup = defineRoute({
  operationId: 'getMonitorGroup',
  method: 'GET',
  path: '/v1/monitor-groups/{id}',
  summary: 'Get a group of monitors',
  tag,
  auth: reads,
  params,
  replies: { 200: MonitorGroupSchema },
  errors: ['NOT_FOUND'],
  async handle({ params: { id }, account }, { monitors }) {
    return { status: 200, data: groupView(await monitors.groups.get(id, account)) };
  },
});

/** PATCH /v1/monitor-groups/{id} (API specification 2.4). */
export const changeMonitorGroup = defineRoute({
  operationId: 'changeMonitorGroup',
  method: 'PATCH',
  path: '/v1/monitor-groups/{id}',
  summary: 'Update a group of monitors',
  description: 'Fields that are left out do not change.',
  tag,
  auth: writes,
  params,
  body: MonitorGroupChangeSchema,
  bodyExample: { name: 'Production' },
  replies: { 200: MonitorGroupSchema },
  errors: ['VALIDATION_FAILED', 'NOT_FOUND'],
  async handle(request, { monitors }) {
    const { account, body, params } = request;
    const group = await monitors.groups.change(params.id, body, { account, actor: actorOf(request) });
    return { status: 200, data: groupView(group) };
  },
});

/** DELETE /v1/monitor-groups/{id} (API specification 2.4). */
export const deleteMonitorGroup = defineRoute({
  operationId: 'deleteMonitorGroup',
  method: 'DELETE',
  path: '/v1/monitor-groups/{id}',
  summary: 'Delete a group of monitors',
  description: 'Its monitors are kept without a group, and leave the maintenance windows of the group.',
  tag,
  auth: writes,
  params,
  replies: { 200: Type.Null() },
  errors: ['NOT_FOUND'],
  async handle(request, { monitors }) {
    await monitors.groups.delete(request.params.id, { account: request.account, actor: actorOf(request) });
    return { status: 200, data: null };
  },
});
