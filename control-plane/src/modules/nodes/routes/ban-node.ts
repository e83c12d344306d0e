import { Type } from 'typebox';
import { actorOf } from '../../../actor.js';
import { defineRoute } from '../../../http/route.js';
import { nodeView } from '../index.js';
import { NodeSchema } from '../schema.js';

const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** POST /v1/admin/nodes/{id}/ban. */
export const banNode = defineRoute({
  operationId: 'banNode',
  method: 'POST',
  path: '/v1/admin/nodes/{id}/ban',
  summary: 'Ban a node',
  description: 'Closes its link within a second on whichever replica holds it, and refuses it from then on.',
  tag: 'Administration',
  auth: { kind: 'admin' },
  params,
  body: Type.Object(
    { reason: Type.String({ minLength: 1, maxLength: 500, description: 'Kept in the audit log.' }) },
    { additionalProperties: false },
  ),
  bodyExample: { reason: 'reports forged results' },
  replies: { 200: NodeSchema },
  errors: ['NODE_NOT_FOUND', 'NODE_ALREADY_BANNED'],
  async handle(request, { nodes }) {
    const node = await nodes.ban(request.params.id, request.body.reason, actorOf(request));
    return { status: 200, data: nodeView(node, true) };
  },
});

/** POST /v1/admin/nodes/{id}/unban. */
export const unbanNode = defineRoute({
  operationId: 'unbanNode',
  method: 'POST',
  path: '/v1/admin/nodes/{id}/unban',
  summary: 'Lift a ban',
  tag: 'Administration',
  auth: { kind: 'admin' },
  params,
  replies: { 200: NodeSchema },
  errors: ['NODE_NOT_FOUND', 'NODE_NOT_BANNED'],
  async handle(request, { nodes }) {
    const node = await nodes.unban(request.params.id, actorOf(request));
    return { status: 200, data: nodeView(node, true) };
  },
});
