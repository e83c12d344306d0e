import { defineRoute } from '../../../http/route.js';
import { ip } from '../kinds/ip.js';

export const getOwnIp = defineRoute({
  operationId: 'getOwnIp',
  method: 'GET',
  path: '/v1/info/ip/me',
  summary: 'Get place and network of your address',
  description: 'As GET /v1/info/ip for the address that the request comes from; 422 if that is not a public one.',
  tag: 'Lookups',
  auth: { kind: 'public', scope: 'probe:read' },
  replies: { 200: ip.Data },
  errors: ['VALIDATION_FAILED', 'PROBE_TARGET_INVALID', 'UNAVAILABLE'],
  async handle({ account, address, locale, signal }, { lookups }) {
    const caller = { account, address, locale, signal, maxAgeMs: null };
    const { data } = await lookups.look('ip', { q: address }, caller);
    return { status: 200, data };
  },
});
