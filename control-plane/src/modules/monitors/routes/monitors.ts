import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { pageOf, pageQueryUpTo, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import {
  MonitorChangeSchema,
  MonitorCreatedSchema,
  MonitorCreateSchema,
  MonitorDetailSchema,
  MonitorSchema,
} from '../definition/schema.js';
import { monitorOrders } from '../reading/list-store.js';
import { MonitorChangeDocumented, MonitorCreateDocumented } from './documented-bodies.js';
import { filterOf, filterQuery } from './filter.js';
import { idParams as params, reads, tag, writes } from './monitor-access.js';

/** Greatest page of monitors; smaller than of other lists since a view of a monitor takes several reads. */
const MAX_PAGE_SIZE = 100;

/** GET /v1/monitors (API specification 4.5). */
export const listMonitors = defineRoute({
  operationId: 'listMonitors',
  method: 'GET',
  path: '/v1/monitors',
  summary: 'List your monitors',
  description: 'With their current state, newest first unless `sort` says otherwise. Filters are joined by AND.',
  tag,
  auth: reads,
  query: Type.Object({
    ...pageQueryUpTo(MAX_PAGE_SIZE),
    ...filterQuery,
    sort: Type.Enum([...monitorOrders], {
      type: 'string',
      default: '-created_at',
      description:
        'Order: `-created_at`, newest first; `name`; `attention`, those that are down, then degraded, unknown, up and paused, by name; `-last_check_at`, the last checked first.',
    }),
  }),
  replies: {
    200: Type.Object(
      {
        items: Type.Array(MonitorSchema),
        total: Type.Integer({ minimum: 0 }),
        page: Type.Integer({ minimum: 1 }),
        limit: Type.Integer({ minimum: 1 }),
      },
      { additionalProperties: false },
    ),
  },
  errors: ['VALIDATION_FAILED'],
  async handle({ query, account }, { monitors }) {
    const page = pageOf(query);
    const { items, total } = await monitors.reading.list(account, filterOf(query), { ...page, order: query.sort });
    return {
      status: 200,
      data: { items, total, page: page.number, limit: page.limit },
      pagination: pagination(page, total),
    };
  },
});

/** POST /v1/monitors (API specification 2.2, 4.5). */
export const createMonitor = defineRoute({
  operationId: 'createMonitor',
  method: 'POST',
  path: '/v1/monitors',
  summary: 'Create a monitor',
  description:
    'Its nodes begin to check it immediately, each at its own moment of the interval. By default, three nodes on different networks check a monitor, and it is down when two thirds of them have failed twice in a row.',
  tag,
  auth: writes,
  body: MonitorCreateSchema,
  documentedBody: MonitorCreateDocumented,
  bodyExample: { name: 'Shop', type: 'https', target: 'https://example.com/', interval_s: 60 },
  replies: { 201: MonitorCreatedSchema },
  errors: [
    'VALIDATION_FAILED',
    'MONITOR_INVALID_INTERVAL',
    'MONITOR_INVALID_TARGET',
    'MONITOR_NAME_TAKEN',
    'MONITOR_LIMIT_EXCEEDED',
    'FEATURE_LOCKED',
  ],
  async handle(request, { monitors }) {
    const { account, body } = request;
    const id = await monitors.acts.create(body, { account, actor: actorOf(request) });
    return { status: 201, data: await monitors.reading.created(id, account) };
  },
});

/** GET /v1/monitors/{id} (API specification 4.5). */
export const getMonitor = defineRoute({
  operationId: 'getMonitor',
  method: 'GET',
  path: '/v1/monitors/{id}',
  summary: 'Get a monitor',
  tag,
  auth: reads,
  params,
  replies: { 200: MonitorDetailSchema },
  errors: ['MONITOR_NOT_FOUND'],
  async handle({ params: { id }, account }, { monitors }) {
    return { status: 200, data: await monitors.reading.detail(id, account) };
  },
});

/** PATCH /v1/monitors/{id} (API specification 4.5). */
export const changeMonitor = defineRoute({
  operationId: 'changeMonitor',
  method: 'PATCH',
  path: '/v1/monitors/{id}',
  summary: 'Update a monitor',
  description:
    'Fields that are left out do not change; `config` is replaced as a whole. If the update changes what is checked, its nodes start counting failures again. The type cannot be changed; to pause a monitor, use its own operation. Secrets are bound to the scheme, host, port, `resolver` and `verify_tls` that they were given for: if one of these changes, send the secrets again, else the response is 422 with the path of each.',
  tag,
  auth: writes,
  params,
  body: MonitorChangeSchema,
  documentedBody: MonitorChangeDocumented,
  bodyExample: { interval_s: 300 },
  replies: { 200: MonitorDetailSchema },
  errors: [
    'VALIDATION_FAILED',
    'MONITOR_NOT_FOUND',
    'MONITOR_INVALID_INTERVAL',
    'MONITOR_INVALID_TARGET',
    'MONITOR_NAME_TAKEN',
    'FEATURE_LOCKED',
  ],
  async handle(request, { monitors }) {
    const {
      account,
      body,
      params: { id },
    } = request;
    await monitors.acts.change(id, body, { account, actor: actorOf(request) });
    return { status: 200, data: await monitors.reading.detail(id, account) };
  },
});

/** DELETE /v1/monitors/{id} (API specification 3.1, 4.5). */
export const deleteMonitor = defineRoute({
  operationId: 'deleteMonitor',
  method: 'DELETE',
  path: '/v1/monitors/{id}',
  summary: 'Delete a monitor',
  description: 'Deletes the monitor and its events permanently; its nodes stop checking immediately.',
  tag,
  auth: writes,
  params,
  replies: { 200: Type.Null() },
  errors: ['MONITOR_NOT_FOUND'],
  async handle(request, { monitors }) {
    await monitors.acts.delete(request.params.id, { account: request.account, actor: actorOf(request) });
    return { status: 200, data: null };
  },
});
