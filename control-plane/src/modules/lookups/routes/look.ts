import { Type } from 'typebox';
import { type AnyRoute, defineRoute } from '../../../http/route.js';
import type { LookupQuery } from '../kinds/lookup.js';
import { type LookupKind, lookupOf, lookups } from '../kinds/registry.js';

const MAX_AGE_S = 604_800;

/** GET /v1/info/{kind} for every kind of lookup (API specification 4.2). */
export const lookRoutes: readonly AnyRoute[] = (Object.keys(lookups) as LookupKind[]).map(lookRoute);

function lookRoute(kind: LookupKind): AnyRoute {
  const { summary, description, qDescription, qExample, options, Data, example, runs } = lookupOf(kind);
  const maxAge = Type.Integer({
    minimum: 0,
    maximum: MAX_AGE_S,
    description:
      'Oldest answer to return, in seconds; requires credentials. One question is asked again at most once a minute.',
  });
  return defineRoute({
    operationId: `look${kind.charAt(0).toUpperCase()}${kind.slice(1)}Up`,
    method: 'GET',
    path: `/v1/info/${kind}`,
    summary,
    description,
    tag: 'Lookups',
    auth: { kind: 'public', scope: 'probe:read' },
    query: Type.Object({
      q: Type.String({ minLength: 1, maxLength: 2_048, description: qDescription, example: qExample }),
      ...options,
      ...(runs === 'on a node' ? { max_age_s: Type.Optional(maxAge) } : {}),
    }),
    replies: { 200: Data },
    ...(example === undefined ? {} : { replyExample: example }),
    errors:
      runs === 'on a node'
        ? [
            'VALIDATION_FAILED',
            'PROBE_TARGET_INVALID',
            'FORBIDDEN',
            'QUOTA_EXCEEDED',
            'RATE_LIMIT_EXCEEDED',
            'UNAVAILABLE',
          ]
        : ['VALIDATION_FAILED', 'PROBE_TARGET_INVALID', 'UNAVAILABLE'],
    async handle(request, services) {
      const { account, address, locale } = request;
      const { max_age_s: maxAgeS, ...asked } = request.query as LookupQuery & { readonly max_age_s?: number };
      const maxAgeMs = maxAgeS === undefined ? null : maxAgeS * 1_000;
      const caller = {
        account,
        address,
        locale,
        maxAgeMs,
        // made only for a caller who waits
        get signal() {
          return request.signal;
        },
      };
      const found = await services.lookups.look(kind, asked, caller);
      const { data, cache, freshMs } = found;
      const maxAgeText = freshMs === undefined ? 'no-store' : `private, max-age=${Math.floor(freshMs / 1_000)}`;
      return { status: 200, data, headers: { 'Cache-Control': maxAgeText }, ...(cache === undefined ? {} : { cache }) };
    },
  });
}
