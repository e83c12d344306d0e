import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';

/** GET /probe: an address that people remember. */
export const probePage = defineRoute({
  operationId: 'getProbePage',
  method: 'GET',
  path: '/probe',
  summary: 'Probe in the console',
  tag: 'Pages',
  auth: { kind: 'none' },
  replies: { 302: Type.String() },
  replyKind: 'html',
  errors: [],
  isDocumented: false,
  async handle({ url }) {
    const [, query] = url.split('?', 2);
    const Location = `/console/probe${query === undefined ? '' : `?${query}`}`;
    return { status: 302, raw: { contentType: 'text/html; charset=utf-8', body: '' }, headers: { Location } };
  },
});
