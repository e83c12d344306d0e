import { Type } from 'typebox';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { nodeStatuses } from '../node.js';
import { AdminNodeSchema } from '../record-schema.js';
import { adminNodeView } from '../record-view.js';

export const listAllNodes = defineRoute({
  operationId: 'listAllNodes',
  method: 'GET',
  path: '/v1/admin/nodes',
  summary: 'List all nodes',
  description:
    'Lists the nodes of all owners, newest first, with the fields that only admins see. `quarantined=true` lists nodes that were banned automatically because a copy of their state directory connected.',
  tag: 'Administration',
  auth: { kind: 'admin' },
  query: Type.Object({
    ...pageQuery,
    status: Type.Optional(Type.Enum([...nodeStatuses], { type: 'string' })),
    user_id: Type.Optional(Type.String({ maxLength: 64, description: 'Only nodes of this owner.' })),
    version: Type.Optional(Type.String({ maxLength: 32, description: 'Only agents of this version.' })),
    quarantined: Type.Optional(Type.Boolean({ description: 'true: only quarantined nodes. false: only others.' })),
    geo_mismatch: Type.Optional(
      Type.Boolean({
        description: 'true: only nodes whose address contradicts the declared place. false: only others.',
      }),
    ),
  }),
  replies: { 200: Type.Object({ items: Type.Array(AdminNodeSchema) }) },
  errors: [],
  async handle({ query }, { nodes }) {
    const page = pageOf(query);
    const filter = {
      ownerId: query.user_id ?? null,
      status: query.status ?? null,
      version: query.version ?? null,
      isQuarantined: query.quarantined ?? null,
      hasGeoMismatch: query.geo_mismatch ?? null,
    };
    const { records, total } = await nodes.listRecords(filter, page);
    return { status: 200, data: { items: records.map(adminNodeView) }, pagination: pagination(page, total) };
  },
});
