import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { defineRoute } from '../../../http/route.js';
import { MonitorEventSchema } from '../definition/schema.js';
import { eventView } from '../reading/view.js';
import { idParams as params, responds, tag } from './monitor-access.js';

/** POST /v1/monitor-events/{id}/ack (API specification 2.4). */
export const acknowledgeMonitorEvent = defineRoute({
  operationId: 'acknowledgeMonitorEvent',
  method: 'POST',
  path: '/v1/monitor-events/{id}/ack',
  summary: 'Acknowledge an event',
  description: 'Records that you have seen the event. The first acknowledgement is kept; further ones do nothing.',
  tag,
  auth: responds,
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
  summary: 'Resolve an event',
  description:
    'Sets `resolved_at` and `resolved_by`, and ends alerts and reminders. The event lasts until its monitor recovers: `ended_at` stays null and uptime counts the whole outage. No other event opens before that, except one of type `down` after one of type `degraded`. An event that has ended or is already resolved does not change.',
  tag,
  auth: responds,
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
  summary: 'Mark an event as a false positive',
  description: 'A false positive is left out of uptime. Send `is_false_positive: false` to take the mark back.',
  tag,
  auth: responds,
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
  summary: 'Update the notes of an event',
  description: 'Replaces the previous notes.',
  tag,
  auth: responds,
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
