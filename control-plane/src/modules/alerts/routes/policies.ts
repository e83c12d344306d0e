import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { itemsText } from '../../../http/items-text.js';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { MAX_POLICIES } from '../policies/policy-acts.js';
import {
  AlertPolicyChangeSchema,
  AlertPolicyCreateSchema,
  AlertPolicySchema,
  MAX_RULE_CHANNELS,
  MAX_RULES,
} from '../policies/policy-schema.js';
import { policyView } from '../policies/policy-view.js';
import { idParams as params, reads, writes } from './alert-access.js';

const tag = 'Alert policies';

/** GET /v1/alert-policies (API specification 2.5). */
export const listAlertPolicies = defineRoute({
  operationId: 'listAlertPolicies',
  method: 'GET',
  path: '/v1/alert-policies',
  summary: 'List your alert policies',
  description: 'Newest first; the default policy, which was created with the account, is among them.',
  tag,
  auth: reads,
  query: Type.Object({ ...pageQuery }),
  replies: { 200: Type.Object({ items: Type.Array(AlertPolicySchema) }, { additionalProperties: false }) },
  errors: ['VALIDATION_FAILED'],
  async handle({ query, account, signal }, { alerts }) {
    const page = pageOf(query);
    const { rows, total } = await alerts.policies.list(account, page);
    return { status: 200, data: await itemsText(rows, policyView, signal), pagination: pagination(page, total) };
  },
});

/** POST /v1/alert-policies (API specification 2.5). */
export const createAlertPolicy = defineRoute({
  operationId: 'createAlertPolicy',
  method: 'POST',
  path: '/v1/alert-policies',
  summary: 'Create an alert policy',
  description: `A body has one of two forms. Simple: \`monitor_id\` and \`channel_ids\`, for all alerts of one monitor; without \`channel_ids\` they go to the default channel. Full: \`rules\`, and what else differs from the defaults, for monitors that name the policy in \`alert_policy_id\`. An account may have ${MAX_POLICIES} policies, of ${MAX_RULES} rules with ${MAX_RULE_CHANNELS} channels each.`,
  tag,
  auth: writes,
  body: AlertPolicyCreateSchema,
  bodyExample: {
    name: 'Production',
    rules: [
      {
        match: {
          severity: ['critical'],
          tags_any: ['production'],
          time_window: {
            days: ['mon', 'tue', 'wed', 'thu', 'fri'],
            start: '09:00',
            end: '17:00',
            timezone: 'Europe/Berlin',
          },
        },
        channels: [{ channel_id: 'ch_1CdGnXNdrQYAqXuGNwgFX8' }],
        repeat: { enabled: true, interval_sec: 3600 },
      },
      { channels: [{ type: 'email', to: ['ops@example.com'] }], delay_sec: 300 },
    ],
    escalation: { steps: [{ after_sec: 900, channels: [{ channel_id: 'ch_1CdGnXNdrQYAqXuGNwgFX8' }] }] },
    on_recovery: { delay_sec: 60 },
    suppression: { after_sec: 60, depends_on: ['m_1CdGnXNdrQYAqXuGNwgFX8'] },
  },
  replies: { 201: AlertPolicySchema },
  errors: ['VALIDATION_FAILED', 'ALERT_CHANNEL_INVALID', 'ALERT_RULE_CONFLICT'],
  async handle(request, { alerts }) {
    const { account, body } = request;
    const row = await alerts.policies.create(body, { account, actor: actorOf(request) });
    return { status: 201, data: policyView(row) };
  },
});

/** GET /v1/alert-policies/{id} (API specification 2.5). */
export const getAlertPolicy = defineRoute({
  operationId: 'getAlertPolicy',
  method: 'GET',
  path: '/v1/alert-policies/{id}',
  summary: 'Get an alert policy',
  tag,
  auth: reads,
  params,
  replies: { 200: AlertPolicySchema },
  errors: ['ALERT_RULE_NOT_FOUND'],
  async handle({ params: { id }, account }, { alerts }) {
    return { status: 200, data: policyView(await alerts.policies.get(id, account)) };
  },
});

/** PATCH /v1/alert-policies/{id} (API specification 2.5). */
export const changeAlertPolicy = defineRoute({
  operationId: 'changeAlertPolicy',
  method: 'PATCH',
  path: '/v1/alert-policies/{id}',
  summary: 'Update an alert policy',
  description:
    'Fields that are left out do not change, those of `escalation`, `on_recovery` and `suppression` included; lists are replaced as a whole. A policy in the simple form keeps it unless `rules` are sent. `channel_ids` also replaces the channels of the default policy, unless it has several rules or conditions. The update also applies to open alerts.',
  tag,
  auth: writes,
  params,
  body: AlertPolicyChangeSchema,
  bodyExample: { name: 'Production', suppression: { after_sec: 120 } },
  replies: { 200: AlertPolicySchema },
  errors: ['VALIDATION_FAILED', 'ALERT_RULE_NOT_FOUND', 'ALERT_CHANNEL_INVALID', 'ALERT_RULE_CONFLICT'],
  async handle(request, { alerts }) {
    const { account, body, params } = request;
    const row = await alerts.policies.change(params.id, body, { account, actor: actorOf(request) });
    return { status: 200, data: policyView(row) };
  },
});

/** DELETE /v1/alert-policies/{id} (API specification 2.5). */
export const deleteAlertPolicy = defineRoute({
  operationId: 'deleteAlertPolicy',
  method: 'DELETE',
  path: '/v1/alert-policies/{id}',
  summary: 'Delete an alert policy',
  description:
    'Its open alerts are resolved, and those who were notified of them are notified of that. A policy that monitors name is refused with ALERT_RULE_CONFLICT, unless `force` is true. The default policy can only be disabled.',
  tag,
  auth: writes,
  params,
  query: Type.Object({
    force: Type.Boolean({
      default: false,
      description: 'True: also removes the policy from the monitors that name it.',
    }),
  }),
  replies: { 200: Type.Null() },
  errors: ['VALIDATION_FAILED', 'ALERT_RULE_NOT_FOUND', 'ALERT_RULE_CONFLICT'],
  async handle(request, { alerts }) {
    const { account, params, query } = request;
    await alerts.policies.delete(params.id, query.force, { account, actor: actorOf(request) });
    return { status: 200, data: null };
  },
});
