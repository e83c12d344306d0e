import t from 'tap';
import { accounts } from '../../test/_support/http-server.js';
import { defaultPlans } from '../plans/index.js';
import { authorise, checkFeature, type Requirements } from './access.js';
import { ApiError } from './errors.js';
import { effectiveScopes, type OwnerRole, ownerRoles } from './owner-roles.js';
import type { Account, Auth } from './route.js';
import { type Scope, scopes } from './scopes.js';

/** Caller with every scope, in a role of an owner. */
function aMember(ownerRole: OwnerRole, more: Partial<Account> = {}): Account {
  const granted: ReadonlySet<Scope> = new Set(scopes);
  return { ...(accounts['reader'] as Account), ownerRole, scopes: effectiveScopes(granted, ownerRole), ...more };
}

function mayCall(account: Account, auth: Auth, method: Requirements['method'] = 'POST'): boolean {
  try {
    authorise(account, { auth, method }, null);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'FORBIDDEN') return false;
    throw error;
  }
}

const allowed: readonly (readonly [string, Auth, readonly OwnerRole[]])[] = [
  ['reading', { kind: 'scope', scope: 'monitor:read' }, ['viewer', 'responder', 'editor', 'admin', 'owner']],
  ['writing', { kind: 'scope', scope: 'monitor:write' }, ['editor', 'admin', 'owner']],
  ['responding', { kind: 'scope', scope: 'monitor:write', respond: true }, ['responder', 'editor', 'admin', 'owner']],
  ['probing', { kind: 'public', scope: 'probe' }, ['editor', 'admin', 'owner']],
  ['managing the owner', { kind: 'scope', scope: 'account' }, ['admin', 'owner']],
  ['managing with a stated role', { kind: 'scope', scope: 'account', role: 'admin' }, ['admin', 'owner']],
  ['what owners alone do', { kind: 'scope', scope: 'account', role: 'owner' }, ['owner']],
];

for (const [name, auth, expected] of allowed) {
  t.test(`${name}: allowed for ${expected.join(', ')}`, async (t) => {
    t.same(
      ownerRoles.filter((role) => mayCall(aMember(role), auth)),
      ownerRoles.filter((role) => expected.includes(role)),
    );
  });
}

t.test('a responder responds with the scope that reads, and never by an API key', async (t) => {
  const auth: Auth = { kind: 'scope', scope: 'monitor:write', respond: true };
  t.equal(mayCall(aMember('responder', { scopes: new Set(['monitor:read']) }), auth), true);
  t.equal(mayCall(aMember('responder', { scopes: new Set(['alert:read']) }), auth), false);
  t.equal(mayCall(aMember('responder', { credentialKind: 'api_key' }), auth), false);
  t.equal(
    mayCall(aMember('owner', { scopes: new Set(['monitor:read']) }), auth),
    false,
    'a role that writes needs the scope',
  );
});

t.test('an operation with a feature is refused by plans that do not include it, with its name', async (t) => {
  const feature = {
    name: 'custom_domains',
    isIncluded: ({ monitors }: { monitors: number | null }) => monitors === null,
  };
  t.throws(() => checkFeature({ feature }, 'free', defaultPlans), {
    code: 'FEATURE_LOCKED',
    details: { custom_domains: [{ code: 'refused', message: 'is not included in the plan "free"' }] },
  });
  checkFeature({ feature }, 'unlimited', defaultPlans);
  checkFeature({}, 'free', defaultPlans);
});
