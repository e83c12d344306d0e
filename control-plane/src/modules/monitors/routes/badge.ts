import { Type } from 'typebox';
import { ApiError } from '../../../http/errors.js';
import { defineRoute } from '../../../http/route.js';
import { renderBadge } from '../reading/badge.js';
import { tag } from './monitor-access.js';

/** GET /badge/{public_id}.svg (API specification 2.3). */
export const getBadge = defineRoute({
  operationId: 'getBadge',
  method: 'GET',
  path: '/badge/{public_id}.svg',
  summary: 'Get the badge of a monitor',
  description:
    'SVG image of the type and the state. Public for everyone who has the address, `badge_url` of the monitor, which cannot be guessed and reveals neither name, target nor token. Caches may keep it for 30 seconds.',
  tag,
  auth: { kind: 'none' },
  params: Type.Object({ public_id: Type.String({ maxLength: 64 }) }),
  replies: { 200: Type.String() },
  replyKind: 'svg',
  replyExample: renderBadge({ type: 'https', state: 'up' }),
  errors: ['NOT_FOUND'],
  async handle({ params: { public_id } }, { monitors }) {
    const badge = await monitors.reading.findBadge(public_id);
    if (badge === null) throw new ApiError('NOT_FOUND');
    return {
      status: 200,
      raw: { contentType: 'image/svg+xml; charset=utf-8', body: renderBadge(badge) },
      headers: {
        'Cache-Control': 'public, max-age=30',
        ETag: `"${badge.state}"`,
        'Content-Security-Policy': "default-src 'none'",
      },
    };
  },
});
