import { ApiError } from './errors.js';
import type { Account, Auth } from './route.js';

/** Who a token belongs to. */
export interface Authenticator {
  /** @throws ApiError AUTH_INVALID_TOKEN, TOKEN_EXPIRED and the like (status 401 or 403) */
  authenticate(token: string): Promise<Account>;
}

/**
 * The account an Authorization header speaks for.
 * @throws ApiError AUTH_REQUIRED, AUTH_INVALID_TOKEN and what the authenticator throws
 */
export async function authenticate(authorization: string | undefined, authenticator: Authenticator): Promise<Account> {
  if (authorization === undefined) throw new ApiError('AUTH_REQUIRED');
  return authenticator.authenticate(bearerToken(authorization));
}

/** @throws ApiError FORBIDDEN when the account lacks the scope or role */
export function authorise(account: Account, auth: Auth): void {
  const isAllowed = auth.kind === 'admin' ? account.role === 'admin' : hasScope(account, auth);
  if (!isAllowed) throw new ApiError('FORBIDDEN');
}

function hasScope(account: Account, auth: Auth): boolean {
  return !('scope' in auth) || auth.scope === undefined || account.scopes.has(auth.scope);
}

/** RFC 6750 section 2.1; the scheme's case does not matter. */
function bearerToken(authorization: string): string {
  const token = /^bearer +([A-Za-z0-9._~+/-]{1,4096}=*)$/i.exec(authorization)?.[1];
  if (token === undefined) throw new ApiError('AUTH_INVALID_TOKEN');
  return token;
}
