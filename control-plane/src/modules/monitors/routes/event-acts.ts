import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { actorOf } from '../../../actor.js';
import { defineRoute } from '../../../http/route.js';
import { MonitorEventSchema } from '../schema.js';
import { eventView } from '../view.js';
import { idParams as params, tag, writes } from './monitor-access.js';

/** POST /v1/monitor-events/{id}/ack (API specification 2.4). */
export const acknowledgeMonitorEvent = defineRoute({
  operationId: 'acknowledgeMonitorEvent',
  method: 'POST',
  path: '/v1/monitor-events/{id}/ack',
  summary: 'Acknowledge an event',
  description: 'Says that you have seen it. The first time counts; again does nothing.',
  tag,
  auth: writes,
  params,
  replies: { 200: MonitorEventSchema },
  errors: ['NOT_FOUND'],
  async handle(request, { monitors }) {
    const act = { account: request.account, actor: actorOf(request) };
    return { status: 200, data: eventView(await monitors.eventActs.acknowledge(request.params.id, act)) };
  },
});

/** POST /v1/monitor-events/{id}/resolve (API specification 2.4). */
export const resolveMonitorEvent = defineRoute({
  operationId: 'resolveMonitorEvent',
  method: 'POST',
  path: '/v1/monitor-events/{id}/resolve',
  summary: 'Close an event by hand',
  description:
    'It ends now. The monitor still shows what its nodes say; while they say the same, no other event opens, until it was up in between. After a degraded one that was closed, one of type down opens. One that has ended stays as it is.',
  tag,
  auth: writes,
  params,
  replies: { 200: MonitorEventSchema },
  errors: ['NOT_FOUND'],
  async handle(request, { monitors }) {
    const act = { account: request.account, actor: actorOf(request) };
    return { status: 200, data: eventView(await monitors.eventActs.resolve(request.params.id, act)) };
  },
});

/** POST /v1/monitor-events/{id}/false-positive (API specification 2.4). */
export const markMonitorEventFalsePositive = defineRoute({
  operationId: 'markMonitorEventFalsePositive',
  method: 'POST',
  path: '/v1/monitor-events/{id}/false-positive',
  summary: 'Say whether an event was none',
  description: 'A false positive counts in no uptime. It can be taken back.',
  tag,
  auth: writes,
  params,
  body: Type.Object(
    { is_false_positive: Type.Boolean() },
    { additionalProperties: false, title: 'MonitorEventFalsePositive' },
  ),
  bodyExample: { is_false_positive: true },
  replies: { 200: MonitorEventSchema },
  errors: ['VALIDATION_FAILED', 'NOT_FOUND'],
  async handle(request, { monitors }) {
    const { params, body } = request;
    const act = { account: request.account, actor: actorOf(request) };
    const event = await monitors.eventActs.markFalsePositive(params.id, body.is_false_positive, act);
    return { status: 200, data: eventView(event) };
  },
});

/** POST /v1/monitor-events/{id}/notes (API specification 2.4). */
export const writeMonitorEventNotes = defineRoute({
  operationId: 'writeMonitorEventNotes',
  method: 'POST',
  path: '/v1/monitor-events/{id}/notes',
  summary: 'Write notes on an event',
  description: 'They replace those that were there.',
  tag,
  auth: writes,
  params,
  body: Type.Object(
    { notes: nullable(Type.String({ maxLength: 5000 }), 'Null: none.') },
    { additionalProperties: false, title: 'MonitorEventNotes' },
  ),
  bodyExample: { notes: 'A switch was replaced.' },
  replies: { 200: MonitorEventSchema },
  errors: ['VALIDATION_FAILED', 'NOT_FOUND'],
  async handle(request, { monitors }) {
    const { params, body } = request;
    const act = { account: request.account, actor: actorOf(request) };
    return { status: 200, data: eventView(await monitors.eventActs.writeNotes(params.id, body.notes, act)) };
  },
});
