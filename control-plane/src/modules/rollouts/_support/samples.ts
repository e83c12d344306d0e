import { admin, type Samples } from '../../../../test/_support/samples.js';

export const samples: Samples = {
  operations: {
    'GET /v1/admin/rollouts': { callers: admin },
    'POST /v1/admin/rollouts': { callers: admin, body: () => ({ version: '0.2.0' }) },
    'GET /v1/admin/rollouts/{id}': { callers: admin },
    'GET /v1/admin/rollouts/{id}/nodes': { callers: admin },
    'POST /v1/admin/rollouts/{id}/pause': { callers: admin },
    'POST /v1/admin/rollouts/{id}/resume': { callers: admin },
    'POST /v1/admin/rollouts/{id}/abort': { callers: admin },
  },
  rows: [{ table: 'rollouts', paths: ['/v1/admin/rollouts'] }],
};
