import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { defineRoute } from '../../../http/route.js';
import { ListSchema } from '../lists/schema.js';

const tag = 'Administration';
const auth = { kind: 'admin' } as const;

export const listReputationLists = defineRoute({
  operationId: 'listReputationLists',
  method: 'GET',
  path: '/v1/admin/lists',
  summary: 'List reputation lists',
  description:
    'Lists of `VANTAGE_REPUTATION_LISTS` by name, each with its version in use and, if a newer one was refused, that one with the reason.',
  tag,
  auth,
  replies: { 200: Type.Object({ items: Type.Array(ListSchema, { maxItems: 50 }) }) },
  errors: [],
  async handle(_request, { lookups }) {
    return { status: 200, data: { items: await lookups.lists.list() } };
  },
});

export const acceptReputationList = defineRoute({
  operationId: 'acceptReputationList',
  method: 'POST',
  path: '/v1/admin/lists/{name}/accept',
  summary: 'Accept the refused version of a reputation list',
  description: 'Takes the version that was refused into use, on every replica. Later versions are compared with it.',
  tag,
  auth,
  params: Type.Object({ name: Type.String({ maxLength: 64, example: 'tor-exits' }) }),
  replies: { 200: ListSchema },
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handle(request, { lookups }) {
    return { status: 200, data: await lookups.lists.accept(request.params.name, actorOf(request)) };
  },
});
