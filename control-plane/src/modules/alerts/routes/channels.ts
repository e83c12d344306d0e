import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { ownTypeName } from '../../../config/channel-settings.js';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { MAX_CHANNELS } from '../channels/channel-acts.js';
import { channelHealths } from '../channels/channel-row.js';
import {
  AlertChannelChangeSchema,
  AlertChannelCreateDocumented,
  AlertChannelCreateSchema,
  AlertChannelSchema,
  AlertChannelWithSecretSchema,
} from '../channels/channel-schema.js';
import { takenTypeNames } from '../types/registry.js';
import { idParams as params, reads, channelTag as tag, writes } from './alert-access.js';

/** GET /v1/alert-channels (API specification 2.5). */
export const listAlertChannels = defineRoute({
  operationId: 'listAlertChannels',
  method: 'GET',
  path: '/v1/alert-channels',
  summary: 'List your alert channels',
  description: 'Newest first; the default channel, which was created with the account, is among them.',
  tag,
  auth: reads,
  query: Type.Object({
    ...pageQuery,
    type: Type.Optional(Type.Enum([...takenTypeNames], { type: 'string', description: 'Channels of this type.' })),
    verified: Type.Optional(Type.Boolean({ description: 'True: verified channels; false: the others.' })),
    health: Type.Optional(Type.Enum([...channelHealths], { type: 'string', description: 'Channels in this state.' })),
  }),
  replies: { 200: Type.Object({ items: Type.Array(AlertChannelSchema) }, { additionalProperties: false }) },
  errors: ['VALIDATION_FAILED'],
  async handle({ query, account }, { alerts }) {
    const page = pageOf(query);
    const { verified, health } = query;
    const type = query.type === undefined ? undefined : ownTypeName(query.type);
    const { rows, total } = await alerts.channels.list(account, { type, verified, health }, page);
    return {
      status: 200,
      data: { items: rows.map((row) => alerts.channels.view(row)) },
      pagination: pagination(page, total),
    };
  },
});

/** POST /v1/alert-channels (API specification 2.5). */
export const createAlertChannel = defineRoute({
  operationId: 'createAlertChannel',
  method: 'POST',
  path: '/v1/alert-channels',
  summary: 'Create an alert channel',
  description: `Each recipient of a channel of the types email, sms and voice, except your own verified address, gets a code and a link, and no alerts until it uses one of them. Other types can be used at once. The types sms and voice need a gateway of the operator and a plan that has such messages. Addresses must be https, and neither private nor reserved. Secrets are shown as asterisks afterwards. A new channel joins the rules of your default alert policy, so that it gets what the policy sends to others, unless \`use\` is \`none\`; \`used_by\` names the policies that send to it. An account may have ${MAX_CHANNELS} channels.`,
  tag,
  auth: writes,
  body: AlertChannelCreateSchema,
  documentedBody: AlertChannelCreateDocumented,
  bodyExample: { name: 'Operations', type: 'webhook', config: { url: 'https://hooks.example.com/alerts', sign: true } },
  replies: { 201: AlertChannelWithSecretSchema },
  errors: ['VALIDATION_FAILED', 'ALERT_CHANNEL_INVALID', 'FEATURE_LOCKED', 'DUPLICATE'],
  async handle(request, { alerts }) {
    const { account, body } = request;
    const { row, secret } = await alerts.channels.create(body, { account, actor: actorOf(request) });
    return { status: 201, data: { ...alerts.channels.view(row), ...(secret === null ? {} : { secret }) } };
  },
});

/** GET /v1/alert-channels/{id} (API specification 2.5). */
export const getAlertChannel = defineRoute({
  operationId: 'getAlertChannel',
  method: 'GET',
  path: '/v1/alert-channels/{id}',
  summary: 'Get an alert channel',
  tag,
  auth: reads,
  params,
  replies: { 200: AlertChannelSchema },
  errors: ['ALERT_CHANNEL_NOT_FOUND'],
  async handle({ params: { id }, account }, { alerts }) {
    return { status: 200, data: alerts.channels.view(await alerts.channels.get(id, account)) };
  },
});

/** PATCH /v1/alert-channels/{id} (API specification 2.5). */
export const changeAlertChannel = defineRoute({
  operationId: 'changeAlertChannel',
  method: 'PATCH',
  path: '/v1/alert-channels/{id}',
  summary: 'Update an alert channel',
  description:
    'Fields that are left out do not change, those of `config` included; null takes an optional field of `config` away. A secret that is left out or sent as asterisks is kept. New recipients must be verified. The settings of the default channel cannot be changed, since it follows the address of the account.',
  tag,
  auth: writes,
  params,
  body: AlertChannelChangeSchema,
  bodyExample: { name: 'Operations', enabled: false },
  replies: { 200: AlertChannelWithSecretSchema },
  errors: ['VALIDATION_FAILED', 'ALERT_CHANNEL_NOT_FOUND', 'ALERT_CHANNEL_INVALID', 'DUPLICATE'],
  async handle(request, { alerts }) {
    const {
      account,
      body,
      params: { id },
    } = request;
    const { row, secret } = await alerts.channels.change(id, body, { account, actor: actorOf(request) });
    return { status: 200, data: { ...alerts.channels.view(row), ...(secret === null ? {} : { secret }) } };
  },
});

/** DELETE /v1/alert-channels/{id} (API specification 2.5). */
export const deleteAlertChannel = defineRoute({
  operationId: 'deleteAlertChannel',
  method: 'DELETE',
  path: '/v1/alert-channels/{id}',
  summary: 'Delete an alert channel',
  description:
    'Takes the channel out of the default policy, and drops messages that wait for it. A channel that other policies name is refused with CONFLICT, unless `force` is true. The default channel can only be disabled.',
  tag,
  auth: writes,
  params,
  query: Type.Object({
    force: Type.Boolean({
      default: false,
      description: 'True: also removes the channel from the policies that name it.',
    }),
  }),
  replies: { 200: Type.Null() },
  errors: ['VALIDATION_FAILED', 'ALERT_CHANNEL_NOT_FOUND', 'CONFLICT'],
  async handle(request, { alerts }) {
    const {
      account,
      params: { id },
      query,
    } = request;
    await alerts.channels.delete(id, query.force, { account, actor: actorOf(request) });
    return { status: 200, data: null };
  },
});
