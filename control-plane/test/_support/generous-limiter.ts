import type { RateLimiter } from '../../src/http/rate-limit.js';

/** A limiter that grants everything, for tests that are not about limits. */
export const generousLimiter: RateLimiter = {
  consume: async ({ limit }) => ({ limit, remaining: limit, resetsAt: 0, isAllowed: true }),
  refund: async () => {},
  isExhausted: () => false,
};
