import { Type } from 'typebox';
import { actorOf } from '../../../actor.js';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { windowView } from '../view.js';
import { WindowChangeSchema, WindowCreateSchema, WindowSchema } from '../window-schema.js';
import { idParams as params, reads, tag, writes } from './monitor-access.js';

/** GET /v1/maintenance-windows (API specification 2.4). */
export const listMaintenanceWindows = defineRoute({
  operationId: 'listMaintenanceWindows',
  method: 'GET',
  path: '/v1/maintenance-windows',
  summary: 'List your maintenance windows',
  description: 'Newest first.',
  tag,
  auth: reads,
  query: Type.Object({ ...pageQuery }),
  replies: { 200: Type.Object({ items: Type.Array(WindowSchema) }, { additionalProperties: false }) },
  errors: ['VALIDATION_FAILED'],
  async handle({ query, account }, { monitors }) {
    const page = pageOf(query);
    const { rows, total } = await monitors.windows.list(account, page);
    return { status: 200, data: { items: rows.map(windowView) }, pagination: pagination(page, total) };
  },
});

/** POST /v1/maintenance-windows (API specification 2.4). */
export const createMaintenanceWindow = defineRoute({
  operationId: 'createMaintenanceWindow',
  method: 'POST',
  path: '/v1/maintenance-windows',
  summary: 'Make a maintenance window',
  description:
    'Monitors in it are checked as ever, and their checks are marked; no event opens, and the time counts in no uptime. An event that is open at its beginning stays open; what is still down at its end opens one that begins there. One that is past may be made, too: uptimes leave it out from now on. An account may have 100.',
  tag,
  auth: writes,
  body: WindowCreateSchema,
  bodyExample: {
    title: 'New switches',
    scope_type: 'tag',
    scope_ids: ['production'],
    starts_at: '2026-11-21T22:00:00Z',
    ends_at: '2026-11-21T23:30:00Z',
    recurrence: 'weekly',
    timezone: 'Europe/Berlin',
    advance_notice_minutes: 60,
  },
  replies: { 201: WindowSchema },
  errors: ['VALIDATION_FAILED'],
  async handle(request, { monitors }) {
    const { account, body } = request;
    const row = await monitors.windows.create(body, { account, actor: actorOf(request) });
    return { status: 201, data: windowView(row) };
  },
});

/** GET /v1/maintenance-windows/{id} (API specification 2.4). */
export const getMaintenanceWindow = defineRoute({
  operationId: 'getMaintenanceWindow',
  method: 'GET',
  path: '/v1/maintenance-windows/{id}',
  summary: 'Look at a maintenance window',
  description: 'Monitors and groups that were deleted since are still among its `scope_ids`, and mean nothing.',
  tag,
  auth: reads,
  params,
  replies: { 200: WindowSchema },
  errors: ['NOT_FOUND'],
  async handle({ params: { id }, account }, { monitors }) {
    return { status: 200, data: windowView(await monitors.windows.get(id, account)) };
  },
});

/** PATCH /v1/maintenance-windows/{id} (API specification 2.4). */
export const changeMaintenanceWindow = defineRoute({
  operationId: 'changeMaintenanceWindow',
  method: 'PATCH',
  path: '/v1/maintenance-windows/{id}',
  summary: 'Change a maintenance window',
  description:
    'What is left out stays. It holds at once, and for occurrences that are past, too: to end one that recurs and keep what was, set `recurrence_until`. Another `scope_type` needs `scope_ids` of its own.',
  tag,
  auth: writes,
  params,
  body: WindowChangeSchema,
  bodyExample: { ends_at: '2026-11-21T23:45:00Z' },
  replies: { 200: WindowSchema },
  errors: ['VALIDATION_FAILED', 'NOT_FOUND'],
  async handle(request, { monitors }) {
    const { account, body, params } = request;
    const row = await monitors.windows.change(params.id, body, { account, actor: actorOf(request) });
    return { status: 200, data: windowView(row) };
  },
});

/** DELETE /v1/maintenance-windows/{id} (API specification 2.4). */
export const deleteMaintenanceWindow = defineRoute({
  operationId: 'deleteMaintenanceWindow',
  method: 'DELETE',
  path: '/v1/maintenance-windows/{id}',
  summary: 'Delete a maintenance window',
  description:
    'As if it had never been: uptimes count what was in it, and a monitor that is down opens an event at once.',
  tag,
  auth: writes,
  params,
  replies: { 200: Type.Null() },
  errors: ['NOT_FOUND'],
  async handle(request, { monitors }) {
    await monitors.windows.delete(request.params.id, { account: request.account, actor: actorOf(request) });
    return { status: 200, data: null };
  },
});
