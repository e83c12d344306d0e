import { ApiError } from '../../http/errors.js';
import { type BroadScope, expandScopes, type Scope } from '../../http/scopes.js';

/** Creator of a token. */
export interface Grantor {
  /** Scopes of the creator; null for the command line of the server, which may grant any scope. */
  readonly scopes: ReadonlySet<Scope> | null;
}

/** Checks that the creator has all scopes to be granted. @throws ApiError FORBIDDEN, naming the missing ones */
export function refuseBroader(scopes: readonly (Scope | BroadScope)[], { scopes: own }: Grantor): void {
  if (own === null) return;
  const broader = scopes.filter((scope) => [...expandScopes([scope])].some((needed) => !own.has(needed)));
  if (broader.length === 0) return;
  const complaints = broader.map((scope) => ({
    code: 'refused' as const,
    message:
      scope === 'admin'
        ? '"admin" is only for administrators, requested by a session or by a token that has it'
        : `"${scope}" is more than the token that asks for it may do`,
  }));
  throw new ApiError('FORBIDDEN', { details: { scopes: complaints } });
}
