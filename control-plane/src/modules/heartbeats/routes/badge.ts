import { Type } from 'typebox';
import { ApiError } from '../../../http/errors.js';
import { defineRoute } from '../../../http/route.js';
import { renderBadge } from '../badge.js';

/** GET /badge/{public_id}.svg (API specification 2.3). */
export const getBadge = defineRoute({
  operationId: 'getBadge',
  method: 'GET',
  path: '/badge/{public_id}.svg',
  summary: 'Show the state of a heartbeat as a picture',
  description:
    'For anybody who has its address, which says nothing of the token. Caches may keep it for half a minute.',
  tag: 'Check-ins',
  auth: { kind: 'none' },
  params: Type.Object({ public_id: Type.String({ maxLength: 64 }) }),
  replies: { 200: Type.String() },
  replyKind: 'svg',
  replyExample: renderBadge('up'),
  errors: ['NOT_FOUND'],
  async handle({ params: { public_id } }, { heartbeats }) {
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
