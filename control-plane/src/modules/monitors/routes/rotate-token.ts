import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { defineRoute } from '../../../http/route.js';

/** POST /v1/monitors/{id}/rotate-token (API specification 2.3). */
export const rotateToken = defineRoute({
  operationId: 'rotateMonitorToken',
  method: 'POST',
  path: '/v1/monitors/{id}/rotate-token',
  summary: 'Rotate the token of a heartbeat',
  description:
    'The old token is invalid immediately. The address of the badge, the state and the history of the heartbeat do not change.',
  tag: 'Monitors',
  auth: { kind: 'scope', scope: 'monitor:write' },
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  replies: {
    200: Type.Object(
      { token: Type.String(), url: Type.String({ format: 'uri' }) },
      { additionalProperties: false, title: 'RotatedToken' },
    ),
  },
  errors: ['MONITOR_NOT_FOUND', 'VALIDATION_FAILED'],
  async handle(request, { monitors: { heartbeats } }) {
    const { account, params } = request;
    return { status: 200, data: await heartbeats.acts.rotateToken(params.id, { account, actor: actorOf(request) }) };
  },
});
