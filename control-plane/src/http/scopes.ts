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

/** Scopes with what they include: `probe` may also read back. */
export function expandScopes(granted: readonly Scope[]): ReadonlySet<Scope> {
  const all = new Set(granted);
  if (all.has('probe')) all.add('probe:read');
  return all;
}

/** Whether a string names a scope. */
export function isScope(name: string): name is Scope {
  return (scopes as readonly string[]).includes(name);
}
