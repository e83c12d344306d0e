import { Type } from 'typebox';
import { ApiError } from '../../../http/errors.js';
import { defineRoute } from '../../../http/route.js';

/** GET /console/assets/{name}: file of the console, whose name changes with its content. */
export const consoleAsset = defineRoute({
  operationId: 'getConsoleAsset',
  method: 'GET',
  path: '/console/assets/{name}',
  summary: 'File of the console',
  tag: 'Pages',
  auth: { kind: 'none' },
  params: Type.Object({ name: Type.String({ maxLength: 128 }) }),
  replies: { 200: Type.String() },
  replyKind: 'raw',
  errors: ['NOT_FOUND'],
  isDocumented: false,
  async handle({ params }, { console: { files } }) {
    const file = await files.find(params.name);
    if (file === null) throw new ApiError('NOT_FOUND');
    return {
      status: 200,
      raw: file,
      headers: {
        'Cache-Control': 'public, max-age=31536000, immutable',
        'Cross-Origin-Resource-Policy': 'same-origin',
      },
    };
  },
});
