import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Test } from 'tap';
import { commandLine } from '../../src/audit-log/actor.js';
import type { AnyRoute, Auth } from '../../src/http/route.js';
import { defaultTokenScopes, scopes } from '../../src/http/scopes.js';
import { documented, nameOf } from './all-samples.js';
import { asUser } from './owners.js';
import type { Stack } from './stack.js';

/** Operations by which an admitted caller may revoke its own credentials. */
const mayRevoke = /^\/v1\/(?:account|auth)\b/;

/**
 * Refusal of the frame for a caller that is not admitted; a handler that refuses for its own reasons states its own: that no
 * node is online.
 */
const refusedByFrame =
  /AUTH_REQUIRED|AUTH_INVALID_TOKEN|ACCOUNT_EMAIL_UNVERIFIED|FORBIDDEN$|^5(?!03 UNAVAILABLE with details$)/;

/** A caller: its kind of credentials, and what those permit. */
export interface Caller {
  readonly name: string;
  /** Outcome for every request of the caller, unless the operation ignores credentials; null if it depends on the request. */
  readonly refusal: string | null;
  readonly kind: 'none' | 'session' | 'personal_access_token' | 'api_key';
  readonly isAdmin: boolean;
  readonly isVerified: boolean;
  readonly scopes: readonly string[];
  make(): Promise<string | null>;
}

function expectedAnswer(route: AnyRoute, caller: Caller): string | null {
  const refused = refusalOf(route.auth, caller);
  if (refused !== null || caller.kind === 'none' || caller.isVerified || route.auth.kind === 'none') return refused;
  const isServed = route.method === 'GET' || route.isOpenToUnverified === true;
  return isServed ? null : '403 ACCOUNT_EMAIL_UNVERIFIED';
}

function refusalOf(auth: Auth, caller: Caller): string | null {
  if (auth.kind === 'none') return null;
  if (caller.kind === 'none') return auth.kind === 'public' ? null : '401 AUTH_REQUIRED';
  if (caller.refusal !== null) return caller.refusal;
  switch (auth.kind) {
    case 'any':
      return auth.of.some((scope) => caller.scopes.includes(scope)) ? null : '403 FORBIDDEN';
    case 'session':
      return caller.kind === 'session' ? null : '403 FORBIDDEN';
    case 'admin':
      return caller.isAdmin && caller.scopes.includes('admin') ? null : '403 FORBIDDEN';
    case 'public':
      return auth.scope === undefined || caller.scopes.includes(auth.scope) ? null : '403 FORBIDDEN';
    case 'scope': {
      const handedOut = (auth.handsOut ?? []).filter((scope) => scope !== 'admin' || caller.isAdmin);
      return [auth.scope, ...handedOut].every((scope) => caller.scopes.includes(scope)) ? null : '403 FORBIDDEN';
    }
  }
}

/** Every kind of caller of a stack that trusts the proxy at 127.0.0.1. */
export function accessOf(stack: Stack) {
  const { api, controlPlane, database } = stack;
  const { accounts, tokens } = controlPlane.services;
  const { users, sessions } = accounts;
  const { db } = database;
  let count = 0;
  let calls = 0;
  const user = async (role: 'user' | 'admin' = 'user') => {
    const { id } = await users.createUser({ email: `caller${++count}@test.example`, role, password: null });
    return id;
  };
  const session = async (userId: string) => {
    const client = { address: '192.0.2.1', userAgent: null };
    return db.transaction(
      async (trx) => (await sessions.open(trx, userId, { methods: ['password'], client })).accessToken,
    );
  };
  const personal = async (userId: string, chosen: readonly (typeof scopes)[number][] | null = null) => {
    const request = { name: 'test', ...(chosen === null ? {} : { scopes: [...chosen] }) };
    return (await tokens.personal.create({ userId, scopes: null }, request, commandLine)).token;
  };
  const key = async (userId: string, chosen?: readonly ('alert:read' | 'read' | 'write')[]) => {
    const request = { name: 'test', ...(chosen === undefined ? {} : { scopes: [...chosen] }) };
    return (await tokens.apiKeys.create(asUser(userId), request, commandLine)).key;
  };
  const changed = async (table: string, token: string, columns: Readonly<Record<string, Date>>) => {
    await db(table)
      .where({ token_id: token.slice(8, 20) })
      .update(columns);
    return token;
  };
  const withoutAccount = defaultTokenScopes.filter((scope) => scope !== 'account');
  const unverified = async (userId: string) => {
    await db('users').where({ id: userId }).update({ email_verified_at: null, proven_at: null });
    return userId;
  };
  const base = { refusal: null, isAdmin: false, isVerified: true, scopes: defaultTokenScopes } as const;
  const all: Caller[] = [
    { ...base, name: 'anonymous', kind: 'none', make: async () => null },
    {
      ...base,
      name: 'an unknown token',
      kind: 'session',
      refusal: '401 AUTH_INVALID_TOKEN',
      make: async () => 'svc_pat_nonsense',
    },
    { ...base, name: 'a session', kind: 'session', make: async () => session(await user()) },
    { ...base, name: 'a personal token', kind: 'personal_access_token', make: async () => personal(await user()) },
    { ...base, name: 'an API key', kind: 'api_key', scopes: withoutAccount, make: async () => key(await user()) },
    {
      ...base,
      name: 'an API key without the scope',
      kind: 'api_key',
      scopes: ['alert:read'],
      make: async () => key(await user(), ['alert:read']),
    },
    {
      ...base,
      name: 'a personal token without the scope',
      kind: 'personal_access_token',
      scopes: ['alert:read', 'account'],
      make: async () => personal(await user(), ['alert:read']),
    },
    {
      ...base,
      name: 'a session of an administrator',
      kind: 'session',
      isAdmin: true,
      scopes,
      make: async () => session(await user('admin')),
    },
    {
      ...base,
      name: 'a personal token of an administrator without the scope admin',
      kind: 'personal_access_token',
      isAdmin: true,
      make: async () => personal(await user('admin')),
    },
    {
      ...base,
      name: 'a personal token of an administrator with the scope admin alone',
      kind: 'personal_access_token',
      isAdmin: true,
      scopes: ['account', 'admin'],
      make: async () => personal(await user('admin'), ['admin']),
    },
    {
      ...base,
      name: 'a personal token with the scope admin of a former administrator',
      kind: 'personal_access_token',
      make: async () => {
        const userId = await user('admin');
        const token = await personal(userId, scopes);
        await db('users').where({ id: userId }).update({ role: 'user' });
        return token;
      },
    },
    {
      ...base,
      name: 'an API key of an administrator',
      kind: 'api_key',
      isAdmin: true,
      scopes: withoutAccount,
      make: async () => key(await user('admin')),
    },
    {
      ...base,
      name: 'an API key of a team, which belongs to no user',
      kind: 'api_key',
      scopes: withoutAccount,
      make: async () => {
        const teamId = newId(idPrefixes.user).replace('u_', 'tm_');
        await db('owners').insert({ id: teamId, kind: 'team', plan: 'unlimited' });
        const maker = { ...asUser(await user()), owner: { kind: 'team', id: teamId, isTest: false } } as const;
        return (await tokens.apiKeys.create(maker, { name: 'test' }, commandLine)).key;
      },
    },
    {
      ...base,
      name: 'a session of an unverified account',
      kind: 'session',
      isVerified: false,
      make: async () => session(await unverified(await user())),
    },
    {
      ...base,
      name: 'an API key of an unverified account without the scope',
      kind: 'api_key',
      isVerified: false,
      scopes: ['alert:read'],
      make: async () => key(await unverified(await user()), ['alert:read']),
    },
    {
      ...base,
      name: 'a session that has ended',
      kind: 'session',
      refusal: '401 AUTH_SESSION_INVALID',
      make: async () => {
        const userId = await user();
        const token = await session(userId);
        await sessions.endAllBut(userId, null, commandLine);
        return token;
      },
    },
    {
      ...base,
      name: 'a revoked API key',
      kind: 'api_key',
      refusal: '401 API_KEY_REVOKED',
      make: async () => changed('api_keys', await key(await user()), { revoked_at: new Date() }),
    },
    {
      ...base,
      name: 'an expired API key',
      kind: 'api_key',
      refusal: '401 TOKEN_EXPIRED',
      make: async () => changed('api_keys', await key(await user()), { expires_at: new Date(0) }),
    },
    {
      ...base,
      name: 'a revoked personal token',
      kind: 'personal_access_token',
      refusal: '401 AUTH_INVALID_TOKEN',
      make: async () => changed('personal_access_tokens', await personal(await user()), { revoked_at: new Date() }),
    },
    {
      ...base,
      name: 'a disabled account',
      kind: 'personal_access_token',
      refusal: '403 AUTH_ACCOUNT_DISABLED',
      make: async () => {
        const userId = await user('admin');
        const token = await personal(userId);
        await users.setDisabled(userId, true, commandLine);
        return token;
      },
    },
    {
      ...base,
      name: 'a deleted account',
      kind: 'session',
      refusal: '403 ACCOUNT_DELETED',
      make: async () => {
        const userId = await user();
        const token = await session(userId);
        await users.delete(userId, commandLine);
        return token;
      },
    },
  ];
  const call = async (route: AnyRoute, as: string | null, id = '1111111111111111111111') => {
    const response = await fetch(new URL(route.path.replace(/\{\w+\}/, id), api.url), {
      method: route.method,
      headers: {
        // one address for each call: credentials are tested, not limits
        'x-forwarded-for': `198.18.${++calls >> 8}.${calls & 255}`,
        ...(as === null ? {} : { authorization: `Bearer ${as}` }),
        ...(route.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(route.body === undefined ? {} : { body: JSON.stringify(route.bodyExample ?? {}) }),
    });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream) await response.body?.cancel();
    const text = isStream ? '' : await response.text();
    const { code = '', details } = JSON.parse(text === '' ? '{}' : text).error ?? {};
    return `${response.status} ${code}${details === undefined || 'authorization' in details ? '' : ' with details'}`;
  };
  const credentials = new Map<Caller, string | null>();
  /** Credentials of a caller, created at the first call and after those that may have revoked them. */
  const credentialsOf = async (caller: Caller) => {
    const token = credentials.has(caller) ? (credentials.get(caller) ?? null) : await caller.make();
    credentials.set(caller, token);
    return token;
  };
  const check = async (t: Test, route: AnyRoute, caller: Caller) => {
    const answer = await call(route, await credentialsOf(caller));
    const wanted = expectedAnswer(route, caller);
    const name = `${nameOf(route)}: ${caller.name}`;
    if (wanted === null && route.method !== 'GET' && mayRevoke.test(route.path)) credentials.delete(caller);
    if (wanted === null) t.notMatch(answer, refusedByFrame, name);
    else t.equal(answer, wanted, name);
  };
  /** Checks the responses of every operation to the callers that are chosen for it. */
  const checkAll = async (t: Test, isChosen: (route: AnyRoute, caller: Caller, turn: number) => boolean) => {
    for (const [index, route] of documented.entries()) {
      const chosen = all.filter((caller, number) => isChosen(route, caller, (index + number) % all.length));
      // few at once: many of one account would wait for their turn, and be refused for that
      while (chosen.length > 0) await Promise.all(chosen.splice(0, 8).map((caller) => check(t, route, caller)));
    }
  };
  return { all, call, credentialsOf, checkAll };
}
