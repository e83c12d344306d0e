import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { NodeChangeSchema, OwnNodeSchema } from '../record-schema.js';
import { ownNodeView } from '../record-view.js';

const tag = 'Nodes';
const auth = { kind: 'scope', scope: 'account' } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

export const listOwnNodes = defineRoute({
  operationId: 'listOwnNodes',
  method: 'GET',
  path: '/v1/account/nodes',
  summary: 'List your nodes',
  description:
    'Lists your nodes, newest first, including banned ones, with the fields that only their owner and admins see.',
  tag,
  auth,
  query: Type.Object({ ...pageQuery }),
  replies: { 200: Type.Object({ items: Type.Array(OwnNodeSchema) }) },
  errors: [],
  async handle({ query, account }, { nodes }) {
    const page = pageOf(query);
    const { records, total } = await nodes.listRecords({ ownerId: account.owner.id }, page);
    return { status: 200, data: { items: records.map(ownNodeView) }, pagination: pagination(page, total) };
  },
});

export const changeOwnNode = defineRoute({
  operationId: 'changeOwnNode',
  method: 'PATCH',
  path: '/v1/account/nodes/{id}',
  summary: 'Update one of your nodes',
  description: 'Changes the name, the tags and the visibility of the node. Absent fields keep their values.',
  tag,
  auth,
  params,
  body: NodeChangeSchema,
  bodyExample: { name: 'frankfurt-1', tags: ['residential'], visibility: 'private' },
  replies: { 200: OwnNodeSchema },
  errors: ['NODE_NOT_FOUND'],
  async handle(request, { nodes }) {
    const { id } = request.params;
    const { id: ownerId } = request.account.owner;
    const { tags, ...rest } = request.body;
    const lowerCased = tags && [...new Set(tags.map((name) => name.toLowerCase()))].sort();
    const change = lowerCased === undefined ? rest : { ...rest, tags: lowerCased };
    await nodes.acts.change({ id, ownerId, actor: actorOf(request) }, change);
    return { status: 200, data: ownNodeView(await nodes.record(id, ownerId)) };
  },
});

export const deleteOwnNode = defineRoute({
  operationId: 'deleteOwnNode',
  method: 'DELETE',
  path: '/v1/account/nodes/{id}',
  summary: 'Delete one of your nodes',
  description:
    'Deletes the node permanently: its link closes within a second and its agent stops. Its results are kept; its unfinished work ends as node_lost. To return, the machine must enroll again with a new token and an empty state directory.',
  tag,
  auth,
  params,
  replies: { 200: Type.Null() },
  errors: ['NODE_NOT_FOUND'],
  async handle(request, { nodes }) {
    const { id } = request.params;
    await nodes.acts.delete({ id, ownerId: request.account.owner.id, actor: actorOf(request) });
    return { status: 200, data: null };
  },
});

export const rotateNodeKey = defineRoute({
  operationId: 'rotateNodeKey',
  method: 'POST',
  path: '/v1/account/nodes/{id}/rotate-key',
  summary: 'Rotate the key of one of your nodes',
  description:
    'The agent creates a new key and presents it, signed by both keys; from then on the old key is invalid. An offline node is asked when it reconnects; until it has replied, `key.rotation_requested_at` is the time of the request. This makes a copy of its state directory useless, provided that the original replies first.',
  tag,
  auth,
  params,
  replies: { 200: OwnNodeSchema },
  errors: ['NODE_NOT_FOUND', 'NODE_STATE_CONFLICT'],
  async handle(request, { nodes }) {
    const { id } = request.params;
    const { id: ownerId } = request.account.owner;
    await nodes.acts.rotateKey({ id, ownerId, actor: actorOf(request) });
    return { status: 200, data: ownNodeView(await nodes.record(id, ownerId)) };
  },
});
