import { Type } from 'typebox';
import { readClient, withFacts } from '../../../client-file.js';
import { ApiError } from '../../../http/errors.js';
import { defineRoute } from '../../../http/route.js';

/** GET /vantage: the client as one file. */
export const clientFile = defineRoute({
  operationId: 'getClient',
  method: 'GET',
  path: '/vantage',
  summary: 'Client as one file',
  tag: 'Pages',
  auth: { kind: 'none' },
  limit: { name: 'client', limit: 60, per: 'minute', from: 'address' },
  replies: { 200: Type.String() },
  replyKind: 'text',
  errors: ['NOT_FOUND'],
  isDocumented: false,
  async handle(_request, { releases }) {
    const file = await readClient();
    if (file === null) throw new ApiError('NOT_FOUND');
    const body = withFacts(file, releases.clientFacts);
    return { status: 200, raw: { contentType: 'text/x-shellscript; charset=utf-8', body } };
  },
});
