import { type Samples, unauthenticated } from '../../../../test/_support/samples.js';

export const samples: Samples = {
  operations: {
    'GET /v1/domain-combo/preview': { callers: unauthenticated },
    'POST /v1/domain-combo/preview': { callers: unauthenticated },
    'GET /domain-combo/preview': { callers: unauthenticated },
  },
};
