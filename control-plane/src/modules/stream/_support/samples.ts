import type { Samples } from '../../../../test/_support/samples.js';

export const samples: Samples = {
  operations: {
    'GET /v1/events/stream': { callers: { kind: 'any', of: ['monitor:read', 'alert:read', 'account'] } },
  },
};
