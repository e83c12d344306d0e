import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { itemsText } from '../../../http/items-text.js';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { silenceStatuses } from '../silences/silence.js';
import { MAX_SILENCES } from '../silences/silence-acts.js';
import { AlertSilenceChangeSchema, AlertSilenceCreateSchema, AlertSilenceSchema } from '../silences/silence-schema.js';
import { idParams as params, reads, writes } from './alert-access.js';

const tag = 'Alert silences';

/** GET /v1/alert-silences (API specification 2.5). */
export const listAlertSilences = defineRoute({
  operationId: 'listAlertSilences',
  method: 'GET',
  path: '/v1/alert-silences',
  summary: 'List your alert silences',
  description: 'Newest first. Silences that have expired are listed for 90 days.',
  tag,
  auth: reads,
  query: Type.Object({
    ...pageQuery,
    status: Type.Optional(Type.Enum([...silenceStatuses], { type: 'string', description: 'Silences in this state.' })),
  }),
  replies: { 200: Type.Object({ items: Type.Array(AlertSilenceSchema) }, { additionalProperties: false }) },
  errors: ['VALIDATION_FAILED'],
  async handle({ query, account, signal }, { alerts }) {
    const page = pageOf(query);
    const { rows, total } = await alerts.silences.list(account, query.status, page);
    const data = await itemsText(rows, (row) => alerts.silences.view(row), signal);
    return { status: 200, data, pagination: pagination(page, total) };
  },
});

/** POST /v1/alert-silences (API specification 2.5). */
export const createAlertSilence = defineRoute({
  operationId: 'createAlertSilence',
  method: 'POST',
  path: '/v1/alert-silences',
  summary: 'Create an alert silence',
  description: `Alerts in the scope open and resolve as usual, but nothing about them is sent, except the end of an alert that was sent before. An alert that still fires when the silence ends, and was never sent, is sent then. An account may have ${MAX_SILENCES} silences that have not expired.`,
  tag,
  auth: writes,
  body: AlertSilenceCreateSchema,
  bodyExample: {
    reason: 'Planned change of the switches',
    scope_type: 'tag',
    scope_ids: ['production'],
    severities: ['warning', 'info'],
    duration_sec: 7200,
  },
  replies: { 201: AlertSilenceSchema },
  errors: ['VALIDATION_FAILED'],
  async handle(request, { alerts }) {
    const { account, body } = request;
    const row = await alerts.silences.create(body, { account, actor: actorOf(request) });
    return { status: 201, data: alerts.silences.view(row) };
  },
});

/** GET /v1/alert-silences/{id} (API specification 2.5). */
export const getAlertSilence = defineRoute({
  operationId: 'getAlertSilence',
  method: 'GET',
  path: '/v1/alert-silences/{id}',
  summary: 'Get an alert silence',
  description: 'Monitors and groups that have been deleted are still listed in `scope_ids`, without effect.',
  tag,
  auth: reads,
  params,
  replies: { 200: AlertSilenceSchema },
  errors: ['ALERT_NOISE_RULE_NOT_FOUND'],
  async handle({ params: { id }, account }, { alerts }) {
    return { status: 200, data: alerts.silences.view(await alerts.silences.get(id, account)) };
  },
});

/** PATCH /v1/alert-silences/{id} (API specification 2.5). */
export const changeAlertSilence = defineRoute({
  operationId: 'changeAlertSilence',
  method: 'PATCH',
  path: '/v1/alert-silences/{id}',
  summary: 'Update an alert silence',
  description:
    'Fields that are left out do not change. `starts_at` can be changed until the silence begins; a silence that has expired is refused with CONFLICT.',
  tag,
  auth: writes,
  params,
  body: AlertSilenceChangeSchema,
  bodyExample: { reason: 'The change takes longer', ends_at: '2026-11-22T01:00:00Z' },
  replies: { 200: AlertSilenceSchema },
  errors: ['VALIDATION_FAILED', 'ALERT_NOISE_RULE_NOT_FOUND', 'CONFLICT'],
  async handle(request, { alerts }) {
    const { account, body, params } = request;
    const row = await alerts.silences.change(params.id, body, { account, actor: actorOf(request) });
    return { status: 200, data: alerts.silences.view(row) };
  },
});

/** DELETE /v1/alert-silences/{id} (API specification 2.5). */
export const deleteAlertSilence = defineRoute({
  operationId: 'deleteAlertSilence',
  method: 'DELETE',
  path: '/v1/alert-silences/{id}',
  summary: 'End an alert silence',
  description:
    'A silence that has not begun is deleted. One that has ends now, and is listed as expired for 90 days; one that is over stays as it is.',
  tag,
  auth: writes,
  params,
  replies: { 200: Type.Null() },
  errors: ['ALERT_NOISE_RULE_NOT_FOUND'],
  async handle(request, { alerts }) {
    await alerts.silences.delete(request.params.id, { account: request.account, actor: actorOf(request) });
    return { status: 200, data: null };
  },
});
