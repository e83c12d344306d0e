import { Type } from 'typebox';
import { actorOf } from '../../../actor.js';
import { defineRoute } from '../../../http/route.js';
import { AdminNodeSchema } from '../record-schema.js';
import { adminNodeView } from '../record-view.js';

/** PATCH /v1/admin/nodes/{id}: whose word it is where the node stands. */
export const settleLocation = defineRoute({
  operationId: 'settleNodeLocation',
  method: 'PATCH',
  path: '/v1/admin/nodes/{id}',
  summary: 'Confirm where a node stands',
  description:
    'By `declared` what the node declares counts, for everybody and for selection, although its address says otherwise, until the address moves to another country or network. `derived` takes that back. What its address does not contradict is not confirmed: 409.',
  tag: 'Administration',
  auth: { kind: 'admin' },
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  body: Type.Object(
    { location: Type.Enum(['declared', 'derived'], { type: 'string', description: 'What counts from now on.' }) },
    { additionalProperties: false },
  ),
  bodyExample: { location: 'declared' },
  replies: { 200: AdminNodeSchema },
  errors: ['NODE_NOT_FOUND', 'NODE_STATE_CONFLICT'],
  async handle(request, { nodes, places }) {
    const { id } = request.params;
    await places.settle(id, request.body.location, actorOf(request));
    return { status: 200, data: adminNodeView(await nodes.record(id, null)) };
  },
});
