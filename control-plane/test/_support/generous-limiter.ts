import type { RateLimiter } from '../../src/http/rate-limit.js';

/** Grants everything: for tests about something else than limits. */
export const generousLimiter: RateLimiter = {
  consume: async ({ limit }) => ({ limit, remaining: limit, resetsAt: 0, isAllowed: true }),
  refund: async () => {},
  isExhausted: () => false,
};
