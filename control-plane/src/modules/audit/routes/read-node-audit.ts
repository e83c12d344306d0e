import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';
import type { AuditSchemas } from '../schema.js';

export const listNodeAudit = ({ entry, query: filter }: AuditSchemas) =>
  defineRoute({
    operationId: 'listNodeAudit',
    method: 'GET',
    path: '/v1/admin/nodes/{id}/audit',
    summary: 'List the audit log of a node',
    description:
      'Lists every act on one node, newest first, also after the node was deleted. The list is empty for an unknown id.',
    tag: 'Administration',
    auth: { kind: 'admin' },
    params: Type.Object({ id: Type.String({ pattern: idPattern(idPrefixes.node) }) }),
    query: filter,
    replies: { 200: Type.Object({ items: Type.Array(entry) }) },
    errors: [],
    async handle({ params, query }, { audit }) {
      const { items, pagination } = await audit.listOf(params.id, query);
      return { status: 200, data: { items }, pagination };
    },
  });
