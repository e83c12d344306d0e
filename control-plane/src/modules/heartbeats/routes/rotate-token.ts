import { Type } from 'typebox';
import { actorOf } from '../../../actor.js';
import { defineRoute } from '../../../http/route.js';

/** POST /v1/monitors/{id}/rotate-token (API specification 2.3). */
export const rotateToken = defineRoute({
  operationId: 'rotateMonitorToken',
  method: 'POST',
  path: '/v1/monitors/{id}/rotate-token',
  summary: 'Give a heartbeat another token',
  description: 'The old one is unknown at once; the badge stays. Nothing that is known of the heartbeat changes.',
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
  async handle(request, { heartbeats }) {
    const { account, params } = request;
    return { status: 200, data: await heartbeats.acts.rotateToken(params.id, { account, actor: actorOf(request) }) };
  },
});
