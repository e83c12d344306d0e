import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { WindowChangeSchema, WindowCreateSchema, WindowSchema } from '../maintenance/window-schema.js';
import { windowView } from '../reading/view.js';
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
  summary: 'Create a maintenance window',
  description:
    'During the window its monitors are checked as usual and their checks are marked; no event opens, and the time is left out of uptime. An event that is open when the window begins stays open; for a monitor that is still down when the window ends, an event opens that begins there. A window may be in the past: uptime leaves it out from now on. An account may have 100 windows.',
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
  summary: 'Get a maintenance window',
  description: 'Monitors and groups that have been deleted are still listed in `scope_ids`, without effect.',
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
  summary: 'Update a maintenance window',
  description:
    'Fields that are left out do not change. The update applies immediately, also to past occurrences: to end a recurring window and keep its past occurrences, set `recurrence_until`. If you change `scope_type`, send `scope_ids` too.',
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
    'As if the window had never existed: uptime counts the time in it, and an event opens immediately for a monitor that is down.',
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
