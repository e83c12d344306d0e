import { ApiError } from './errors.js';
import type { Account, Auth } from './route.js';

/** Who a token belongs to. */
export interface Authenticator {
  /** @throws ApiError AUTH_INVALID_TOKEN, TOKEN_EXPIRED and the like (status 401 or 403) */
  authenticate(token: string): Promise<Account>;
}

/** What an operation asks of its caller. */
export interface Requirements {
  readonly auth: Auth;
  readonly needsVerifiedEmail?: true;
}

/**
 * The account an Authorization header speaks for.
 * @throws ApiError AUTH_REQUIRED, AUTH_INVALID_TOKEN and what the authenticator throws
 */
export async function authenticate(authorization: string | undefined, authenticator: Authenticator): Promise<Account> {
  if (authorization === undefined) throw new ApiError('AUTH_REQUIRED');
  return authenticator.authenticate(bearerToken(authorization));
}

/**
 * Scope and role first, then the origin, then the account's own state. `origin` is the Origin header of a browser.
 * @throws ApiError FORBIDDEN, ACCOUNT_EMAIL_UNVERIFIED
 */
export function authorise(account: Account, { auth, needsVerifiedEmail }: Requirements, origin: string | null): void {
  if (!fits(account, auth)) throw forbidden(auth);
  if (origin !== null && account.allowedOrigins !== null && !account.allowedOrigins.includes(origin.toLowerCase())) {
    throw new ApiError('FORBIDDEN', { details: { origin: [{ code: 'refused', message: 'is none this key allows' }] } });
  }
  if (needsVerifiedEmail === true && !account.isEmailVerified) throw new ApiError('ACCOUNT_EMAIL_UNVERIFIED');
}

function forbidden(auth: Auth): ApiError {
  return new ApiError('FORBIDDEN', { details: { authorization: [{ code: 'refused', message: needOf(auth) }] } });
}

function needOf(auth: Auth): string {
  if (auth.kind === 'session') return 'must be the access token of a login';
  if (auth.kind === 'admin') return 'must be an access token or personal access token of an administrator';
  return 'scope' in auth ? `needs the scope "${auth.scope}"` : 'is not enough';
}

/** API keys are for programs that use the API, never for running it, whoever owns them. */
export function isAdministrator(account: Account): boolean {
  return account.role === 'admin' && account.credentialKind !== 'api_key';
}

function fits(account: Account, auth: Auth): boolean {
  switch (auth.kind) {
    case 'none':
      return true;
    case 'session':
      return account.credentialKind === 'session';
    case 'admin':
      return isAdministrator(account);
    case 'public':
    case 'scope':
      return auth.scope === undefined || account.scopes.has(auth.scope);
  }
}

/** RFC 6750 section 2.1; the scheme's case does not matter. */
function bearerToken(authorization: string): string {
  const token = /^bearer +([A-Za-z0-9._~+/-]{1,4096}=*)$/i.exec(authorization)?.[1];
  if (token === undefined) {
    const message = 'must be "Bearer", a space and a token';
    throw new ApiError('AUTH_INVALID_TOKEN', { details: { authorization: [{ code: 'format', message }] } });
  }
  return token;
}
