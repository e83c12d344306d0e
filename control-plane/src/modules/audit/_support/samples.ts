import { admin, type Samples, scope } from '../../../../test/_support/samples.js';

const account = scope('account');

export const samples: Samples = {
  operations: {
    'GET /v1/account/audit': { callers: account },
    'GET /v1/admin/audit': { callers: admin },
    'GET /v1/admin/nodes/{id}/audit': { callers: admin },
  },
  rows: [
    {
      table: 'audit_log',
      paths: ['/v1/account/audit'],
      list: 'by cursor',
      create: 'side effect',
      keptOfDeleted: ['false', 'the log of an account outlives it'],
    },
  ],
};
