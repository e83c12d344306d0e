import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { MAX_ALERT_GROUPS } from '../groups/alert-group-acts.js';
import { groupView } from '../groups/alert-group-row.js';
import { AlertGroupChangeSchema, AlertGroupCreateSchema, AlertGroupSchema } from '../groups/alert-group-schema.js';
import { idParams as params, reads, writes } from './alert-access.js';

const tag = 'Alert groups';

/** GET /v1/alert-groups (API specification 2.5). */
export const listAlertGroups = defineRoute({
  operationId: 'listAlertGroups',
  method: 'GET',
  path: '/v1/alert-groups',
  summary: 'List your alert groups',
  description: 'Newest first.',
  tag,
  auth: reads,
  query: Type.Object({ ...pageQuery }),
  replies: { 200: Type.Object({ items: Type.Array(AlertGroupSchema) }, { additionalProperties: false }) },
  errors: ['VALIDATION_FAILED'],
  async handle({ query, account }, { alerts }) {
    const page = pageOf(query);
    const { rows, total } = await alerts.groups.list(account, page);
    return { status: 200, data: { items: rows.map(groupView) }, pagination: pagination(page, total) };
  },
});

/** POST /v1/alert-groups (API specification 2.5). */
export const createAlertGroup = defineRoute({
  operationId: 'createAlertGroup',
  method: 'POST',
  path: '/v1/alert-groups',
  summary: 'Create an alert group',
  description: `Messages about alerts of the group are joined. A monitor that several groups match is in the one that was created first. An account may have ${MAX_ALERT_GROUPS} groups.`,
  tag,
  auth: writes,
  body: AlertGroupCreateSchema,
  bodyExample: { name: 'Shops', group_by: 'monitor_prefix', group_value: 'shop', wait_seconds: 60 },
  replies: { 201: AlertGroupSchema },
  errors: ['VALIDATION_FAILED'],
  async handle(request, { alerts }) {
    const { account, body } = request;
    const row = await alerts.groups.create(body, { account, actor: actorOf(request) });
    return { status: 201, data: groupView(row) };
  },
});

/** GET /v1/alert-groups/{id} (API specification 2.5). */
export const getAlertGroup = defineRoute({
  operationId: 'getAlertGroup',
  method: 'GET',
  path: '/v1/alert-groups/{id}',
  summary: 'Get an alert group',
  tag,
  auth: reads,
  params,
  replies: { 200: AlertGroupSchema },
  errors: ['ALERT_NOISE_RULE_NOT_FOUND'],
  async handle({ params: { id }, account }, { alerts }) {
    return { status: 200, data: groupView(await alerts.groups.get(id, account)) };
  },
});

/** PATCH /v1/alert-groups/{id} (API specification 2.5). */
export const changeAlertGroup = defineRoute({
  operationId: 'changeAlertGroup',
  method: 'PATCH',
  path: '/v1/alert-groups/{id}',
  summary: 'Update an alert group',
  description: 'Fields that are left out do not change.',
  tag,
  auth: writes,
  params,
  body: AlertGroupChangeSchema,
  bodyExample: { wait_seconds: 120 },
  replies: { 200: AlertGroupSchema },
  errors: ['VALIDATION_FAILED', 'ALERT_NOISE_RULE_NOT_FOUND'],
  async handle(request, { alerts }) {
    const { account, body, params } = request;
    const row = await alerts.groups.change(params.id, body, { account, actor: actorOf(request) });
    return { status: 200, data: groupView(row) };
  },
});

/** DELETE /v1/alert-groups/{id} (API specification 2.5). */
export const deleteAlertGroup = defineRoute({
  operationId: 'deleteAlertGroup',
  method: 'DELETE',
  path: '/v1/alert-groups/{id}',
  summary: 'Delete an alert group',
  description: 'Its alerts belong to the next group that matches, or to none.',
  tag,
  auth: writes,
  params,
  replies: { 200: Type.Null() },
  errors: ['ALERT_NOISE_RULE_NOT_FOUND'],
  async handle(request, { alerts }) {
    await alerts.groups.delete(request.params.id, { account: request.account, actor: actorOf(request) });
    return { status: 200, data: null };
  },
});
