import { admin, anybody, type Samples, scope } from '../../../../test/_support/samples.js';
import { insertNode } from '../../../../test/_support/stored-node.js';

const account = scope('account');

export const samples: Samples = {
  operations: {
    'GET /v1/nodes': { callers: anybody },
    'POST /v1/nodes/enrollment-tokens': {
      callers: { kind: 'scope', scope: 'account', handsOut: ['monitor:read', 'monitor:write', 'admin'] },
      body: ({ text }) => ({ label: text }),
    },
    'GET /v1/nodes/enrollment-tokens': { callers: account },
    'DELETE /v1/nodes/enrollment-tokens/{id}': { callers: account },
    'POST /v1/nodes/enroll': { callers: anybody },
    'GET /v1/nodes/{id}': { callers: anybody },
    'GET /v1/account/nodes': { callers: account },
    'PATCH /v1/account/nodes/{id}': { callers: account },
    'DELETE /v1/account/nodes/{id}': { callers: account },
    'POST /v1/account/nodes/{id}/rotate-key': { callers: account },
    'GET /v1/admin/nodes': { callers: admin },
    'POST /v1/admin/nodes/{id}/ban': { callers: admin },
    'POST /v1/admin/nodes/{id}/unban': { callers: admin },
    'POST /v1/admin/nodes/{id}/drain': { callers: admin },
    'POST /v1/admin/nodes/{id}/undrain': { callers: admin },
    'POST /v1/admin/nodes/{id}/upgrade': { callers: admin },
    'PATCH /v1/admin/nodes/{id}': { callers: admin },
  },
  rows: [
    { table: 'enrollment_tokens', paths: ['/v1/nodes/enrollment-tokens'], list: 'counted' },
    {
      table: 'nodes',
      paths: ['/v1/account/nodes', '/v1/nodes', '/v1/admin/nodes'],
      list: 'counted',
      create: async ({ db, userId, text }) =>
        insertNode(db, { owner_id: userId, name: text, visibility: 'private', hostname: text, tags: [text] }),
      keptOfDeleted: ['deleted_at IS NULL', 'results of a deleted node name it'],
    },
  ],
};
