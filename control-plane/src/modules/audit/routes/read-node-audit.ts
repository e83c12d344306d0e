import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';
import { AuditEntrySchema, AuditQuerySchema } from '../schema.js';

/** GET /v1/admin/nodes/{id}/audit. */
export const listNodeAudit = defineRoute({
  operationId: 'listNodeAudit',
  method: 'GET',
  path: '/v1/admin/nodes/{id}/audit',
  summary: 'Read the audit log of a node',
  description:
    'Every act on one node, also one that was deleted since, newest first. Nothing for an id that never was.',
  tag: 'Administration',
  auth: { kind: 'admin' },
  params: Type.Object({ id: Type.String({ pattern: idPattern(idPrefixes.node) }) }),
  query: AuditQuerySchema,
  replies: { 200: Type.Object({ items: Type.Array(AuditEntrySchema) }) },
  errors: [],
  async handle({ params, query }, { audit }) {
    const { items, pagination } = await audit.listOf(params.id, query);
    return { status: 200, data: { items }, pagination };
  },
});
