import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';
import type { AuditSchemas } from '../schema.js';

export const listOwnAudit = ({ entry, query: filter }: AuditSchemas) =>
  defineRoute({
    operationId: 'listOwnAudit',
    method: 'GET',
    path: '/v1/account/audit',
    summary: 'List the audit log of your account',
    description: 'Lists every security-relevant act on the account, newest first. Administrators are not named.',
    tag: 'Account',
    auth: { kind: 'scope', scope: 'account' },
    query: filter,
    replies: { 200: Type.Object({ items: Type.Array(entry) }) },
    errors: [],
    async handle({ query, account }, { audit }) {
      const { items, pagination } = await audit.listOwn(account.owner.id, query);
      return { status: 200, data: { items }, pagination };
    },
  });

export const listAudit = ({ entry, adminQuery }: AuditSchemas) =>
  defineRoute({
    operationId: 'listAudit',
    method: 'GET',
    path: '/v1/admin/audit',
    summary: 'List the audit log',
    description: 'Lists every security-relevant act on all accounts and on the installation, newest first.',
    tag: 'Administration',
    auth: { kind: 'admin' },
    query: adminQuery,
    replies: { 200: Type.Object({ items: Type.Array(entry) }) },
    errors: [],
    async handle({ query: { account_id, ...request } }, { audit }) {
      const { items, pagination } = await audit.listAll(account_id, request);
      return { status: 200, data: { items }, pagination };
    },
  });
