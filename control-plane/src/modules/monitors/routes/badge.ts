import { Type } from 'typebox';
import { ApiError } from '../../../http/errors.js';
import { defineRoute } from '../../../http/route.js';
import { renderBadge } from '../heartbeats/badge.js';

/** GET /badge/{public_id}.svg (API specification 2.3). */
export const getBadge = defineRoute({
  operationId: 'getBadge',
  method: 'GET',
  path: '/badge/{public_id}.svg',
  summary: 'Get the badge of a heartbeat',
  description:
    'SVG image of the state. Public for everyone who has the address, which does not reveal the token. Caches may keep it for 30 seconds.',
  tag: 'Check-ins',
  auth: { kind: 'none' },
  params: Type.Object({ public_id: Type.String({ maxLength: 64 }) }),
  replies: { 200: Type.String() },
  replyKind: 'svg',
  replyExample: renderBadge('up'),
  errors: ['NOT_FOUND'],
  async handle({ params: { public_id } }, { monitors: { heartbeats } }) {
    const state = await heartbeats.acts.findBadge(public_id);
    if (state === null) throw new ApiError('NOT_FOUND');
    return {
      status: 200,
      raw: { contentType: 'image/svg+xml; charset=utf-8', body: renderBadge(state) },
      headers: {
        'Cache-Control': 'public, max-age=30',
        ETag: `"${state}"`,
        'Content-Security-Policy': "default-src 'none'",
      },
    };
  },
});
