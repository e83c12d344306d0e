import { Type } from 'typebox';
import { pageOf, pageQuery, paginate } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { viewerOf } from '../../../http/viewer.js';
import { nodeStatuses } from '../node.js';
import { CountryCode, NodeSchema } from '../schema.js';
import { nodeView } from '../view.js';

/** GET /v1/nodes (API specification 4.3). */
export const listNodes = defineRoute({
  operationId: 'listNodes',
  method: 'GET',
  path: '/v1/nodes',
  summary: 'List probe nodes',
  description: 'Lists public nodes and, for their owner, private ones. Only admins see banned nodes.',
  tag: 'Nodes',
  auth: { kind: 'public' },
  isConditional: true,
  query: Type.Object({
    ...pageQuery,
    country: Type.Optional(CountryCode),
    region: Type.Optional(Type.String({ maxLength: 64, description: 'UN M49 subregion.' })),
    asn: Type.Optional(Type.Integer({ minimum: 1, maximum: 4294967295 })),
    provider: Type.Optional(Type.String({ maxLength: 64 })),
    status: Type.Optional(Type.Enum([...nodeStatuses], { type: 'string' })),
    tag: Type.Optional(Type.String({ maxLength: 32 })),
    capability: Type.Optional(Type.String({ maxLength: 32 })),
    geo_mismatch: Type.Optional(Type.Boolean({ description: 'For admins only; ignored for others.' })),
  }),
  replies: { 200: Type.Object({ items: Type.Array(NodeSchema) }) },
  errors: [],
  async handle({ query, account }, { nodes }) {
    const viewer = viewerOf(account);
    const { items, pagination } = paginate(nodes.list(viewer, query), pageOf(query));
    return {
      status: 200,
      data: { items: items.map((node) => nodeView(node, viewer.isAdmin, node.ownerId === viewer.ownerId)) },
      pagination,
    };
  },
});
