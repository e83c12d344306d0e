import { ApiError } from '../../http/errors.js';
import { type BroadScope, expandScopes, type Scope } from '../../http/scopes.js';

/** Who makes a token, and for whom: nobody makes one for somebody else. */
export interface Grantor {
  readonly userId: string;
  /** What they may do themselves; null: whoever works at the machine may hand out anything. */
  readonly scopes: ReadonlySet<Scope> | null;
}

/** Nobody hands out more than they have. @throws ApiError FORBIDDEN, naming what they lack */
export function refuseBroader(scopes: readonly (Scope | BroadScope)[], { scopes: own }: Grantor): void {
  if (own === null) return;
  const broader = scopes.filter((scope) => [...expandScopes([scope])].some((needed) => !own.has(needed)));
  if (broader.length === 0) return;
  const complaints = broader.map((scope) => ({
    code: 'refused' as const,
    message: `"${scope}" is more than the token that asks for it may do`,
  }));
  throw new ApiError('FORBIDDEN', { details: { scopes: complaints } });
}
