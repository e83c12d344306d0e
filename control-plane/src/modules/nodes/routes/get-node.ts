import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';
import { viewerOf } from '../../../http/viewer.js';
import { NodeSchema } from '../schema.js';
import { nodeView } from '../view.js';

export const getNode = defineRoute({
  operationId: 'getNode',
  method: 'GET',
  path: '/v1/nodes/{id}',
  summary: 'Get a probe node',
  tag: 'Nodes',
  auth: { kind: 'public' },
  isConditional: true,
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  replies: { 200: NodeSchema },
  errors: ['NODE_NOT_FOUND'],
  async handle({ params, account }, { nodes }) {
    const viewer = viewerOf(account);
    const node = nodes.get(viewer, params.id);
    return { status: 200, data: nodeView(node, viewer.isAdmin, node.ownerId === viewer.ownerId) };
  },
});
