/** The one list of scopes (API specification 2.6); `account` only fits personal access tokens. */
export const scopes = [
  'probe',
  'probe:read',
  'monitor:read',
  'monitor:write',
  'alert:read',
  'alert:write',
  'status:read',
  'status:write',
  'billing:read',
  'billing:write',
  'account',
] as const;

export type Scope = (typeof scopes)[number];

/** The two scopes that stand for many; an API key shows them as they were given. */
export const broadScopes = ['read', 'write'] as const;
export type BroadScope = (typeof broadScopes)[number];

/** Scopes an API key may have: everything but the account itself. */
export const apiKeyScopes = [...scopes.filter((scope) => scope !== 'account'), ...broadScopes] as const;

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

/** Whether a string names a scope. */
export function isScope(name: string): name is Scope {
  return (scopes as readonly string[]).includes(name);
}
