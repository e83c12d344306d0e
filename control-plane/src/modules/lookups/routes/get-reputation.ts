import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';
import { MAX_Q } from '../kinds/read-q.js';
import { ReputationSchema, reputationExample } from '../reputation/schema.js';

/** GET /v1/ip/reputation (API specification 4.2). */
export const getReputation = defineRoute({
  operationId: 'getIpReputation',
  method: 'GET',
  path: '/v1/ip/reputation',
  summary: 'Get the reputation of an address or domain',
  description:
    'Risk score of a public address by the lists of the operator, as the sum of the weights in `evidence`. Of a domain, whose addresses a node looks up, the result is that of the address with the highest score. Nothing found while `coverage` lacks a signal means unknown, not clean. Without credentials an address may send 10 requests a minute and 100 a day, its network (IPv4 /24, IPv6 /48) 300 a day. With credentials a key may send 60 a minute, and the plan limits the checks of a month (`reputation_per_month`). Requests that are refused, and those without a result, do not count against these limits. Pages of other origins cannot read the response. Without any list the operation is unavailable.',
  tag: 'Lookups',
  auth: { kind: 'public', scope: 'probe:read' },
  isClosedToOrigins: true,
  query: Type.Object({
    q: Type.String({
      minLength: 1,
      maxLength: 2_048,
      description: `An IPv4 or IPv6 address, or a domain, at most ${MAX_Q} characters.`,
      example: '192.0.2.1',
    }),
  }),
  replies: { 200: ReputationSchema },
  replyExample: reputationExample,
  errors: ['VALIDATION_FAILED', 'PROBE_TARGET_INVALID', 'QUOTA_EXCEEDED', 'RATE_LIMIT_EXCEEDED', 'UNAVAILABLE'],
  checkLimits: (caller, { lookups }) => lookups.reputation.refuseExhausted(caller),
  async handle({ query, account, address, locale, signal }, { lookups }) {
    const data = await lookups.reputation.check(query.q, { account, address, locale, signal });
    return { status: 200, data };
  },
});
