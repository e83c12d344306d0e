import t from 'tap';
import {
  apiKeyScopes,
  type BroadScope,
  defaultTokenScopes,
  expandScopes,
  type Scope,
  scopes,
} from '../../http/scopes.js';
import { refuseBroader } from './grantor.js';

type Scopes = readonly (Scope | BroadScope)[];
const maker = (own: Scopes) => ({ scopes: expandScopes(own) });

t.test('a grantor with all scopes may grant all, and the operator anything', async (t) => {
  for (const own of [maker(scopes), { scopes: null }]) {
    t.doesNotThrow(() => refuseBroader([...scopes, 'read', 'write'], own));
  }
});

t.test('no grantor grants a scope that they lack, alone or inside a broad one', async (t) => {
  const cases: readonly (readonly [own: Scopes, wanted: Scopes, lacking: Scopes])[] = [
    [['probe', 'account'], ['probe', 'probe:read', 'account'], []],
    [['probe:read'], ['probe', 'probe:read'], ['probe']],
    [['monitor:read'], ['monitor:read', 'monitor:write', 'alert:read'], ['monitor:write', 'alert:read']],
    [['probe', 'monitor:read', 'alert:read'], ['read'], []],
    [['monitor:read', 'alert:read'], ['read'], ['read']],
    [['probe', 'monitor:write', 'alert:write'], ['write'], []],
    [
      ['monitor:write', 'alert:write'],
      ['read', 'write'],
      ['read', 'write'],
    ],
    [['account'], ['account'], []],
    [[], ['account'], ['account']],
    [defaultTokenScopes, ['account', 'admin'], ['admin']],
    [['admin', 'account'], ['account', 'admin'], []],
  ];
  for (const [own, wanted, lacking] of cases) {
    const name = `${own.join(' ')} hands out ${wanted.join(' ')}`;
    const refuse = () => refuseBroader(wanted, maker(own));
    if (lacking.length === 0) t.doesNotThrow(refuse, name);
    else {
      const complaints = lacking.map((scope) => ({ code: 'refused', message: new RegExp(`^"${scope}"`) }));
      t.throws(refuse, { code: 'FORBIDDEN', status: 403, details: { scopes: complaints } }, name);
    }
  }
});

t.test('each scope opens itself alone, but for probe, read and write', async (t) => {
  const more: Partial<Record<Scope | BroadScope, readonly Scope[]>> = {
    probe: ['probe', 'probe:read'],
    read: ['probe:read', 'monitor:read', 'alert:read'],
    write: ['monitor:write', 'alert:write', 'probe', 'probe:read'],
  };
  for (const scope of apiKeyScopes) t.strictSame(expandScopes([scope]), new Set(more[scope] ?? [scope]), scope);
  const everything = defaultTokenScopes.filter((scope) => scope !== 'account');
  t.strictSame(
    expandScopes(['read', 'write']),
    new Set(everything),
    'read and write are all but the account and administration',
  );
});
