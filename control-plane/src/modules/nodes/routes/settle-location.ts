import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { defineRoute } from '../../../http/route.js';
import { AdminNodeSchema } from '../record-schema.js';

/** PATCH /v1/admin/nodes/{id}: confirms the declared place of the node, or withdraws the confirmation. */
export const settleLocation = defineRoute({
  operationId: 'settleNodeLocation',
  method: 'PATCH',
  path: '/v1/admin/nodes/{id}',
  summary: 'Confirm the location of a node',
  description:
    'Confirms the declared location, or withdraws the confirmation. `declared`: the declared location is shown and used for selection, although the address contradicts it, until the address moves to another country or network; 409 if the address does not contradict it. `derived`: the confirmation is withdrawn; this succeeds even if nothing was confirmed.',
  tag: 'Administration',
  auth: { kind: 'admin' },
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  body: Type.Object(
    {
      location: Type.Enum(['declared', 'derived'], {
        type: 'string',
        description: 'Location that counts from now on.',
      }),
    },
    { additionalProperties: false },
  ),
  bodyExample: { location: 'declared' },
  replies: { 200: AdminNodeSchema },
  errors: ['NODE_NOT_FOUND', 'NODE_STATE_CONFLICT'],
  async handle(request, { nodes }) {
    const { id } = request.params;
    await nodes.places.settle(id, request.body.location, actorOf(request));
    return { status: 200, data: await nodes.describe(id) };
  },
});
