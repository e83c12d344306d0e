import { type Scope, scopes } from './scopes.js';

/** Roles of a person in an owner, in ascending order of rights. A person has the role `owner` of their own. */
export const ownerRoles = ['viewer', 'responder', 'editor', 'admin', 'owner'] as const;
export type OwnerRole = (typeof ownerRoles)[number];

const viewing: readonly Scope[] = ['probe:read', 'monitor:read', 'alert:read'];
const editing: readonly Scope[] = [...viewing, 'probe', 'monitor:write', 'alert:write'];

/** The scopes that each role may use: the one table of them. */
const scopesByRole: Readonly<Record<OwnerRole, ReadonlySet<Scope>>> = {
  viewer: new Set(viewing),
  responder: new Set(viewing),
  editor: new Set(editing),
  admin: new Set<Scope>([...editing, 'account']),
  owner: new Set(scopes),
};

/** Scopes of a credential that its holder's role lets through. */
export function effectiveScopes(granted: ReadonlySet<Scope>, role: OwnerRole): ReadonlySet<Scope> {
  if (role === 'owner') return granted;
  return new Set([...granted].filter((scope) => scopesByRole[role].has(scope)));
}

/** Roles that manage an owner, in order of their rights. */
const managers = ['admin', 'owner'] as const;
export type ManagerRole = (typeof managers)[number];

/** True if a role has the rights of another one, or more. */
export function isAtLeast(role: OwnerRole, least: ManagerRole): boolean {
  return role === 'owner' || role === least;
}
