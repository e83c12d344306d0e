/** The one list of scopes (API specification 2.6); `account` and `admin` only fit personal access tokens. */
export const scopes = [
  'probe',
  'probe:read',
  'monitor:read',
  'monitor:write',
  'alert:read',
  'alert:write',
  'account',
  'admin',
] as const;

export type Scope = (typeof scopes)[number];

/** Scopes that include others; an API key shows them as they were given. */
export const broadScopes = ['read', 'write'] as const;
export type BroadScope = (typeof broadScopes)[number];

/** Scopes of a personal access token that names none: `admin` must be requested by name. */
export const defaultTokenScopes = scopes.filter((scope) => scope !== 'admin');

/** Scopes that an API key may have: all except `account` and `admin`. */
export const apiKeyScopes = [...defaultTokenScopes.filter((scope) => scope !== 'account'), ...broadScopes] as const;

/** Scopes with what they include: `read` all reading, `write` all writing and probing, `probe` reading back too. */
export function expandScopes(granted: readonly (Scope | BroadScope)[]): ReadonlySet<Scope> {
  const all = new Set(granted.flatMap((scope) => (isScope(scope) ? [scope] : included[scope])));
  if (all.has('probe')) all.add('probe:read');
  return all;
}

const included: Readonly<Record<BroadScope, readonly Scope[]>> = {
  read: scopes.filter((scope) => scope.endsWith(':read')),
  write: [...scopes.filter((scope) => scope.endsWith(':write')), 'probe'],
};

/** All scopes that credentials of a user with this role can have. */
export function scopesOfRole(role: 'user' | 'admin'): readonly Scope[] {
  return role === 'admin' ? scopes : defaultTokenScopes;
}

export function isScope(name: string): name is Scope {
  return (scopes as readonly string[]).includes(name);
}
