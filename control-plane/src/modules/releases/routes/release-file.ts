import { Type } from 'typebox';
import { ApiError, notConfigured } from '../../../http/errors.js';
import { defineRoute } from '../../../http/route.js';

/** GET /release/{name}: files of the release of VANTAGE_RELEASE_DIR. */
export const releaseFile = defineRoute({
  operationId: 'getReleaseFile',
  method: 'GET',
  path: '/release/{name}',
  summary: 'File of a release',
  tag: 'Pages',
  auth: { kind: 'none' },
  limit: { name: 'release-files', limit: 60, per: 'minute', from: 'address' },
  params: Type.Object({ name: Type.String({ maxLength: 128 }) }),
  replies: { 200: Type.Unknown() },
  replyKind: 'file',
  errors: ['NOT_FOUND'],
  isDocumented: false,
  async handle({ params }, { releases }) {
    if (releases.folder === null) throw notConfigured('this installation serves no release: set VANTAGE_RELEASE_DIR');
    const file = await releases.folder.find(params.name);
    if (file === null) throw new ApiError('NOT_FOUND');
    return { status: 200, file: { ...file, contentType: 'application/octet-stream' } };
  },
});
