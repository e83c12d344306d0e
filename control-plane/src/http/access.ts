import type { PlanName, Plans } from '../plans/index.js';
import { ApiError } from './errors.js';
import { isAtLeast } from './owner-roles.js';
import type { Account, AnyRoute, Auth } from './route.js';
import { isScope, type Scope, scopesOfRole } from './scopes.js';

/** Source of the account behind a bearer token. */
export interface Authenticator {
  /** @throws ApiError AUTH_INVALID_TOKEN, TOKEN_EXPIRED and the like (status 401 or 403) */
  authenticate(token: string): Promise<Account>;
}

/** Credentials and rights that an operation requires of its caller. */
export type Requirements = Pick<AnyRoute, 'auth' | 'method' | 'isOpenToUnverified'>;

/** @throws ApiError FEATURE_LOCKED when a plan does not include the feature that an operation needs */
export function checkFeature({ feature }: Pick<AnyRoute, 'feature'>, plan: PlanName, plans: Plans): void {
  if (feature === undefined || feature.isIncluded(plans[plan])) return;
  const message = `is not included in the plan "${plan}"`;
  throw new ApiError('FEATURE_LOCKED', { details: { [feature.name]: [{ code: 'refused', message }] } });
}

/**
 * True if an account must have verified its e-mail address to call an operation: for everything but reading, unless the
 * operation is declared open to unverified accounts.
 */
export function needsVerifiedEmail({ auth, method, isOpenToUnverified }: Requirements): boolean {
  return auth.kind !== 'none' && method !== 'GET' && isOpenToUnverified !== true;
}

/**
 * Account that an Authorization header authenticates.
 * @throws ApiError AUTH_REQUIRED, AUTH_INVALID_TOKEN, and the errors of the authenticator
 */
export async function authenticate(authorization: string | undefined, authenticator: Authenticator): Promise<Account> {
  if (authorization === undefined) throw new ApiError('AUTH_REQUIRED');
  return authenticator.authenticate(bearerToken(authorization));
}

/**
 * Checks scope and role first, then the origin, then the state of the account, last whether a session is fresh.
 * `origin` is the Origin header of a browser.
 * @throws ApiError FORBIDDEN, ACCOUNT_EMAIL_UNVERIFIED, AUTH_2FA_REQUIRED
 */
export function authorise(account: Account, operation: Requirements, origin: string | null): void {
  const auth: Auth = operation.auth;
  if (!mayRespond(account, auth)) requireFitting(account, auth);
  if (auth.kind === 'scope' && auth.role !== undefined && !isAtLeast(account.ownerRole, auth.role))
    throw forbidden(`needs the role "${auth.role}"`);
  const missing = lacking(account, auth);
  if (missing.length > 0)
    throw forbidden(`needs the scopes ${quotedList(missing)} in addition, because it creates credentials with them`);
  if (origin !== null && account.allowedOrigins !== null && !account.allowedOrigins.includes(origin.toLowerCase())) {
    throw new ApiError('FORBIDDEN', {
      details: { origin: [{ code: 'refused', message: 'is not allowed by this key' }] },
    });
  }
  if (!account.isEmailVerified && needsVerifiedEmail(operation)) throw new ApiError('ACCOUNT_EMAIL_UNVERIFIED');
  if (needsFreshSession(operation)) requireFresh(account);
}

/** True if a session must be fresh to call an operation. */
export function needsFreshSession({ auth }: Pick<AnyRoute, 'auth'>): boolean {
  return (auth.kind === 'session' || auth.kind === 'scope') && auth.isFresh === true;
}

/** Account of a request that needs a session, for operations that serve others without one. @throws ApiError AUTH_REQUIRED, FORBIDDEN */
export function requireSession(account: Account | null): Account {
  if (account === null) throw new ApiError('AUTH_REQUIRED');
  requireFitting(account, { kind: 'session' });
  return account;
}

/** @throws ApiError FORBIDDEN if credentials do not give an access */
export function requireFitting(account: Account, auth: Auth): void {
  if (!fits(account, auth)) throw forbidden(needOf(auth));
}

/** @throws ApiError AUTH_2FA_REQUIRED for a session that is not fresh; other credentials have no freshness */
export function requireFresh({ freshness }: Pick<Account, 'freshness'>): void {
  if (freshness === null || freshness.isFresh) return;
  throw new ApiError('AUTH_2FA_REQUIRED', { meta: { step_up: true, factors: freshness.factors } });
}

function forbidden(message: string): ApiError {
  return new ApiError('FORBIDDEN', { details: { authorization: [{ code: 'refused', message }] } });
}

/**
 * Person for an operation about a person.
 * @throws ApiError FORBIDDEN for the key of a team, which belongs to no person
 */
export function personOf({ user }: Account): { readonly id: string } {
  if (user === null) throw forbidden('must be credentials of a user');
  return user;
}

/** Scopes whose rights an operation hands out and its caller does not have. */
function lacking({ role, scopes }: Account, auth: Auth): readonly Scope[] {
  const handedOut = auth.kind === 'scope' ? (auth.handsOut ?? []) : [];
  return handedOut.filter((scope) => !scopes.has(scope) && (scope !== 'admin' || role === 'admin'));
}

function quotedList(scopes: readonly Scope[]): string {
  return scopes.map((scope) => `"${scope}"`).join(', ');
}

function needOf(auth: Auth): string {
  if (auth.kind === 'session') return 'must be the access token of a login';
  if (auth.kind === 'admin')
    return 'must be the access token of an administrator, or a personal access token of one that has the scope "admin"';
  if (auth.kind === 'any') return `needs the scope "${auth.of[0]}"`;
  return 'scope' in auth ? `needs the scope "${auth.scope}"` : 'is not enough';
}

/**
 * True if these credentials have administrator rights: their owner is an administrator now, and they have the scope
 * `admin`. API keys are for programs that use the API, never for operating it, no matter who owns them.
 */
export function isAdministrator({ role, credentialKind, scopes }: Account): boolean {
  return role === 'admin' && credentialKind !== 'api_key' && scopes.has('admin');
}

/** True if these credentials give every right of their owner. */
export function opensEverything({ role, scopes }: Account): boolean {
  return scopesOfRole(role).every((scope) => scopes.has(scope));
}

/** True if a caller with the role `responder` may call an operation for which others need the scope to write. */
function mayRespond({ ownerRole, credentialKind, scopes }: Account, auth: Auth): boolean {
  if (auth.kind !== 'scope' || auth.respond !== true) return false;
  const reading = auth.scope.replace(/:write$/, ':read');
  return ownerRole === 'responder' && credentialKind !== 'api_key' && isScope(reading) && scopes.has(reading);
}

/** True if credentials give an access. */
export function fits(account: Account, auth: Auth): boolean {
  switch (auth.kind) {
    case 'none':
      return true;
    case 'any':
      return auth.of.some((scope) => account.scopes.has(scope));
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
