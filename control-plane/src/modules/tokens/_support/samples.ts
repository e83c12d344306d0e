import { type Samples, scope } from '../../../../test/_support/samples.js';

const account = scope('account');

export const samples: Samples = {
  operations: {
    'GET /v1/account/api-keys': { callers: account },
    'POST /v1/account/api-keys': { callers: account, body: ({ text }) => ({ name: text }) },
    'DELETE /v1/account/api-keys/{id}': { callers: account },
    'GET /v1/account/tokens': { callers: account },
    'POST /v1/account/tokens': {
      callers: { kind: 'scope', scope: 'account', isFresh: true },
      body: ({ text }) => ({ name: text }),
    },
    'DELETE /v1/account/tokens/{id}': { callers: account },
  },
  rows: [
    {
      table: 'api_keys',
      paths: ['/v1/account/api-keys'],
      list: 'counted',
      keptOfDeleted: [
        'revoked_at IS NULL',
        'a revoked key is listed for 90 days, and distinguished from one that never existed',
      ],
    },
    { table: 'personal_access_tokens', paths: ['/v1/account/tokens'] },
  ],
};
