import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';
import { AuditAdminQuerySchema, AuditEntrySchema, AuditQuerySchema } from '../schema.js';

const replies = { 200: Type.Object({ items: Type.Array(AuditEntrySchema) }) };

/** GET /v1/account/audit. */
export const listOwnAudit = defineRoute({
  operationId: 'listOwnAudit',
  method: 'GET',
  path: '/v1/account/audit',
  summary: 'Read the audit log of your account',
  description: 'Every security-relevant act on the account, newest first. Administrators who acted are not named.',
  tag: 'Account',
  auth: { kind: 'scope', scope: 'account' },
  query: AuditQuerySchema,
  replies,
  errors: [],
  async handle({ query, account }, { audit }) {
    const { items, pagination } = await audit.listOwn(account.userId, query);
    return { status: 200, data: { items }, pagination };
  },
});

/** GET /v1/admin/audit. */
export const listAudit = defineRoute({
  operationId: 'listAudit',
  method: 'GET',
  path: '/v1/admin/audit',
  summary: 'Read the audit log',
  description: 'Every security-relevant act of everybody, newest first.',
  tag: 'Administration',
  auth: { kind: 'admin' },
  query: AuditAdminQuerySchema,
  replies,
  errors: [],
  async handle({ query: { account_id, ...request } }, { audit }) {
    const { items, pagination } = await audit.listAll(account_id, request);
    return { status: 200, data: { items }, pagination };
  },
});
