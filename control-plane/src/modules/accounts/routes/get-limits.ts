import { defineRoute } from '../../../http/route.js';
import { effectiveLimits, LimitsSchema } from '../../../plans/index.js';

/** GET /v1/account/limits: the limits of the caller's plan, as configured. */
export const getLimits = defineRoute({
  operationId: 'getLimits',
  method: 'GET',
  path: '/v1/account/limits',
  summary: 'Get the limits of your plan',
  description:
    'The remaining requests of the current minute are in the headers of every response, and in `meta.rate_limit`.',
  tag: 'Account',
  auth: { kind: 'scope', scope: 'account' },
  replies: { 200: LimitsSchema },
  errors: [],
  async handle({ account }, { accounts }) {
    return { status: 200, data: { plan: account.plan, ...effectiveLimits(accounts.plans, account) } };
  },
});
