import { Type } from 'typebox';
import { actorOf } from '../../../actor.js';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { anyRecord } from '../index.js';
import { NodeChangeSchema, OwnNodeSchema } from '../record-schema.js';
import { ownNodeView } from '../record-view.js';

const tag = 'Nodes';
const auth = { kind: 'scope', scope: 'account' } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** GET /v1/account/nodes. */
export const listOwnNodes = defineRoute({
  operationId: 'listOwnNodes',
  method: 'GET',
  path: '/v1/account/nodes',
  summary: 'List your nodes',
  description: 'Newest first, banned ones included, with what only their owner sees.',
  tag,
  auth,
  query: Type.Object({ ...pageQuery }),
  replies: { 200: Type.Object({ items: Type.Array(OwnNodeSchema) }) },
  errors: [],
  async handle({ query, account }, { nodes }) {
    const page = pageOf(query);
    const { records, total } = await nodes.listRecords({ ...anyRecord, ownerId: account.userId }, page);
    return { status: 200, data: { items: records.map(ownNodeView) }, pagination: pagination(page, total) };
  },
});

/** PATCH /v1/account/nodes/{id}. */
export const changeOwnNode = defineRoute({
  operationId: 'changeOwnNode',
  method: 'PATCH',
  path: '/v1/account/nodes/{id}',
  summary: 'Change one of your nodes',
  description: 'Its name, its tags, and who may use it. A field that is left out stays as it is.',
  tag,
  auth,
  params,
  body: NodeChangeSchema,
  bodyExample: { name: 'frankfurt-1', tags: ['residential'], visibility: 'private' },
  replies: { 200: OwnNodeSchema },
  errors: ['NODE_NOT_FOUND'],
  async handle(request, { nodes }) {
    const { id } = request.params;
    const { userId: ownerId } = request.account;
    const { tags, ...rest } = request.body;
    const lowerCased = tags && [...new Set(tags.map((name) => name.toLowerCase()))].sort();
    const change = lowerCased === undefined ? rest : { ...rest, tags: lowerCased };
    await nodes.acts.change({ id, ownerId, actor: actorOf(request) }, change);
    return { status: 200, data: ownNodeView(await nodes.record(id, ownerId)) };
  },
});

/** DELETE /v1/account/nodes/{id}. */
export const deleteOwnNode = defineRoute({
  operationId: 'deleteOwnNode',
  method: 'DELETE',
  path: '/v1/account/nodes/{id}',
  summary: 'Delete one of your nodes',
  description:
    'For good: its link closes within a second and its agent ends. What it has measured stays; what it had to do ends as node_lost. To come back, the machine enrolls anew with a new token and an empty state directory.',
  tag,
  auth,
  params,
  replies: { 200: Type.Null() },
  errors: ['NODE_NOT_FOUND'],
  async handle(request, { nodes }) {
    const { id } = request.params;
    await nodes.acts.delete({ id, ownerId: request.account.userId, actor: actorOf(request) });
    return { status: 200, data: null };
  },
});

/** POST /v1/account/nodes/{id}/rotate-key. */
export const rotateNodeKey = defineRoute({
  operationId: 'rotateNodeKey',
  method: 'POST',
  path: '/v1/account/nodes/{id}/rotate-key',
  summary: 'Give one of your nodes another key',
  description:
    'The agent makes a new key and shows it, signed by both; from then on the old one opens nothing. A node that is offline is asked when it is back; until it has answered, `key.rotation_requested_at` says since when it is asked. This makes a copy of its state directory worthless, provided that the original answers first.',
  tag,
  auth,
  params,
  replies: { 200: OwnNodeSchema },
  errors: ['NODE_NOT_FOUND', 'NODE_STATE_CONFLICT'],
  async handle(request, { nodes }) {
    const { id } = request.params;
    const { userId: ownerId } = request.account;
    await nodes.acts.rotateKey({ id, ownerId, actor: actorOf(request) });
    return { status: 200, data: ownNodeView(await nodes.record(id, ownerId)) };
  },
});
