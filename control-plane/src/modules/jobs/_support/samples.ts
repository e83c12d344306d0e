import { admin, type Samples } from '../../../../test/_support/samples.js';

export const samples: Samples = {
  operations: {
    'GET /v1/admin/jobs': { callers: admin },
    'POST /v1/admin/jobs/{id}/retry': { callers: admin },
    'DELETE /v1/admin/jobs/{id}': { callers: admin },
  },
};
