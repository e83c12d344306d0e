import { type ErrorCode, errorTable } from './error-table.js';
import type { AnyRoute, Auth } from './route.js';

/** What a bearer credential can be refused for. */
const credentialErrors: readonly ErrorCode[] = [
  'AUTH_INVALID_TOKEN',
  'AUTH_EXPIRED',
  'AUTH_SESSION_INVALID',
  'AUTH_ACCOUNT_DISABLED',
  'ACCOUNT_DELETED',
  'API_KEY_REVOKED',
  'TOKEN_EXPIRED',
];

/** Statuses that are answered before a route is known, and so are no part of any operation. */
const statusesOutsideRoutes: ReadonlySet<number> = new Set([405, 431]);

/**
 * Every error an operation can answer, by status: what its definition lists and what the frame adds for its
 * credentials, parameters and body. The OpenAPI document shows it; tests hold replies against it.
 */
export function declaredErrors(route: AnyRoute): ReadonlyMap<number, ReadonlySet<ErrorCode>> {
  const byStatus = new Map<number, Set<ErrorCode>>();
  const add = (status: number, code: ErrorCode) => {
    const codes = byStatus.get(status) ?? new Set();
    byStatus.set(status, codes.add(code));
  };
  for (const code of [...credentialErrorsOf(route.auth), 'INTERNAL_ERROR', 'UNAVAILABLE'] as const) {
    add(errorTable[code].statuses[0], code);
  }
  if (route.params || route.query || route.body) add(400, 'VALIDATION_FAILED');
  if (route.body) {
    add(400, 'REQUEST_BODY_INVALID');
    add(408, 'REQUEST_TIMEOUT');
  }
  if (route.method !== 'GET') add(413, 'REQUEST_BODY_INVALID');
  for (const code of route.errors) {
    for (const status of errorTable[code].statuses) {
      if (!statusesOutsideRoutes.has(status)) add(status, code);
    }
  }
  return byStatus;
}

function credentialErrorsOf(auth: Auth): readonly ErrorCode[] {
  switch (auth.kind) {
    case 'none':
      return [];
    case 'public':
      return auth.scope === undefined ? credentialErrors : [...credentialErrors, 'FORBIDDEN'];
    default:
      return ['AUTH_REQUIRED', ...credentialErrors, 'FORBIDDEN'];
  }
}
