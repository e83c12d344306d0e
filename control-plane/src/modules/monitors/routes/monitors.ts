import { Type } from 'typebox';
import { actorOf } from '../../../actor.js';
import { fieldError } from '../../../http/errors.js';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import {
  MonitorChangeSchema,
  MonitorCreatedSchema,
  MonitorCreateSchema,
  MonitorDetailSchema,
  MonitorSchema,
} from '../schema.js';
import { filterOf, filterQuery } from './filter.js';
import { idParams as params, reads, tag, writes } from './monitor-access.js';

const MAX_LIMIT = 100;

/** GET /v1/monitors (API specification 4.5). */
export const listMonitors = defineRoute({
  operationId: 'listMonitors',
  method: 'GET',
  path: '/v1/monitors',
  summary: 'List your monitors',
  description: 'Newest first, with how they are now. Filters are joined by AND.',
  tag,
  auth: reads,
  query: Type.Object({
    ...pageQuery,
    ...filterQuery,
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
    if (page.limit > MAX_LIMIT) throw fieldError('limit', 'range', `must be <= ${MAX_LIMIT}`);
    const { rows, total } = await monitors.list(account, filterOf(query), page);
    const items = await monitors.reading.views(rows);
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
  summary: 'Make a monitor',
  description:
    'It is checked from its nodes at once, each at its own moment of the interval. Unless it says otherwise, three nodes on different networks check it, and two thirds of them have to fail twice in a row before it is down.',
  tag,
  auth: writes,
  needsVerifiedEmail: true,
  body: MonitorCreateSchema,
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
    const row = await monitors.create(body, { account, actor: actorOf(request) });
    return { status: 201, data: await monitors.reading.created(row) };
  },
});

/** GET /v1/monitors/{id} (API specification 4.5). */
export const getMonitor = defineRoute({
  operationId: 'getMonitor',
  method: 'GET',
  path: '/v1/monitors/{id}',
  summary: 'Look at a monitor',
  tag,
  auth: reads,
  params,
  replies: { 200: MonitorDetailSchema },
  errors: ['MONITOR_NOT_FOUND'],
  async handle({ params: { id }, account }, { monitors }) {
    return { status: 200, data: await monitors.reading.detail(await monitors.get(id, account)) };
  },
});

/** PATCH /v1/monitors/{id} (API specification 4.5). */
export const changeMonitor = defineRoute({
  operationId: 'changeMonitor',
  method: 'PATCH',
  path: '/v1/monitors/{id}',
  summary: 'Change a monitor',
  description:
    'What is left out stays; `config` is replaced as a whole. Where it changes what is checked, its nodes begin to count anew. The type stays, and pausing has operations of its own.',
  tag,
  auth: writes,
  params,
  body: MonitorChangeSchema,
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
    const row = await monitors.change(id, body, { account, actor: actorOf(request) });
    return { status: 200, data: await monitors.reading.detail(row) };
  },
});

/** DELETE /v1/monitors/{id} (API specification 3.1, 4.5). */
export const deleteMonitor = defineRoute({
  operationId: 'deleteMonitor',
  method: 'DELETE',
  path: '/v1/monitors/{id}',
  summary: 'Delete a monitor',
  description: 'For good, with its events; its nodes stop checking at once.',
  tag,
  auth: writes,
  params,
  replies: { 200: Type.Null() },
  errors: ['MONITOR_NOT_FOUND'],
  async handle(request, { monitors }) {
    await monitors.delete(request.params.id, { account: request.account, actor: actorOf(request) });
    return { status: 200, data: null };
  },
});
