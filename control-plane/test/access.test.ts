import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t, { type Test } from 'tap';
import { commandLine } from '../src/actor.js';
import type { AnyRoute, Auth } from '../src/http/route.js';
import { scopes } from '../src/http/scopes.js';
import { routes } from '../src/routes.js';
import { type Stack, startStack } from './_support/stack.js';
import { insertNode } from './_support/stored-node.js';

const probe: Auth = { kind: 'public', scope: 'probe' };
const readBack: Auth = { kind: 'public', scope: 'probe:read' };
const anybody: Auth = { kind: 'public' };
const job: Auth = { kind: 'none' };
const account: Auth = { kind: 'scope', scope: 'account' };
const readMonitors: Auth = { kind: 'scope', scope: 'monitor:read' };
const writeMonitors: Auth = { kind: 'scope', scope: 'monitor:write' };
const session: Auth = { kind: 'session' };
const admin: Auth = { kind: 'admin' };

/** Who may call what: every documented operation. */
const expected: Readonly<Record<string, Auth>> = {
  'POST /v1/probe/http': probe,
  'POST /v1/probe/ping': probe,
  'POST /v1/probe/dns': probe,
  'POST /v1/probe/tcp': probe,
  'POST /v1/probe/traceroute': probe,
  'POST /v1/probe/mtr': probe,
  'POST /v1/probe/smtp': probe,
  'POST /v1/probe/ntp': probe,
  'POST /v1/probe/speedtest': probe,
  'POST /v1/probe/ssl': probe,
  'GET /v1/probe/tasks': { kind: 'scope', scope: 'probe:read' },
  'GET /v1/probe/tasks/{id}': readBack,
  'GET /v1/probe/tasks/{id}/events': readBack,
  'GET /v1/monitors': readMonitors,
  'POST /v1/monitors': writeMonitors,
  'GET /v1/monitors/{id}': readMonitors,
  'PATCH /v1/monitors/{id}': writeMonitors,
  'DELETE /v1/monitors/{id}': writeMonitors,
  'POST /v1/monitors/{id}/pause': writeMonitors,
  'POST /v1/monitors/{id}/resume': writeMonitors,
  'POST /v1/monitors/{id}/archive': writeMonitors,
  'POST /v1/monitors/{id}/test': writeMonitors,
  'GET /v1/monitors/{id}/checks': readMonitors,
  'GET /v1/monitors/{id}/events': readMonitors,
  'GET /v1/monitor-events/{id}': readMonitors,
  'POST /v1/monitors/{id}/rotate-token': writeMonitors,
  'GET /hb/{token}': job,
  'POST /hb/{token}': job,
  'GET /hb/{token}/start': job,
  'POST /hb/{token}/start': job,
  'GET /hb/{token}/fail': job,
  'POST /hb/{token}/fail': job,
  'GET /hb/{token}/{exit_code}': job,
  'POST /hb/{token}/{exit_code}': job,
  'GET /api/push/{token}': job,
  'POST /api/push/{token}': job,
  'GET /badge/{public_id}.svg': job,
  'GET /v1/monitors/export': { kind: 'scope', scope: 'monitor:read' },
  'POST /v1/monitors/import': { kind: 'scope', scope: 'monitor:write' },
  'GET /v1/nodes': anybody,
  'GET /v1/nodes/{id}': anybody,
  'POST /v1/nodes/enroll': anybody,
  'POST /v1/nodes/enrollment-tokens': account,
  'GET /v1/nodes/enrollment-tokens': account,
  'DELETE /v1/nodes/enrollment-tokens/{id}': account,
  'GET /v1/account/nodes': account,
  'PATCH /v1/account/nodes/{id}': account,
  'DELETE /v1/account/nodes/{id}': account,
  'POST /v1/account/nodes/{id}/rotate-key': account,
  'GET /v1/admin/nodes': admin,
  'PATCH /v1/admin/nodes/{id}': admin,
  'GET /v1/admin/nodes/{id}/audit': admin,
  'POST /v1/admin/nodes/{id}/upgrade': admin,
  'POST /v1/admin/nodes/{id}/drain': admin,
  'POST /v1/admin/nodes/{id}/undrain': admin,
  'POST /v1/admin/nodes/{id}/ban': admin,
  'POST /v1/admin/nodes/{id}/unban': admin,
  'POST /v1/auth/register': anybody,
  'POST /v1/auth/login': anybody,
  'POST /v1/auth/refresh': anybody,
  'POST /v1/auth/logout': session,
  'POST /v1/auth/verify-email': anybody,
  'POST /v1/auth/verify-email/resend': account,
  'POST /v1/auth/password/forgot': anybody,
  'POST /v1/auth/password/reset': anybody,
  'POST /v1/auth/password/change': account,
  'GET /.well-known/jwks.json': anybody,
  'GET /v1/account/profile': account,
  'PATCH /v1/account/profile': account,
  'GET /v1/account/limits': account,
  'GET /v1/monitors/{id}/uptime': { kind: 'scope', scope: 'monitor:read' },
  'GET /v1/monitors/{id}/timeseries': { kind: 'scope', scope: 'monitor:read' },
  'DELETE /v1/account': account,
  'GET /v1/account/sessions': account,
  'DELETE /v1/account/sessions': account,
  'DELETE /v1/account/sessions/{id}': account,
  'GET /v1/account/api-keys': account,
  'POST /v1/account/api-keys': account,
  'DELETE /v1/account/api-keys/{id}': account,
  'GET /v1/account/tokens': account,
  'POST /v1/account/tokens': account,
  'DELETE /v1/account/tokens/{id}': account,
  'GET /v1/account/audit': account,
  'GET /v1/admin/audit': admin,
  'GET /v1/admin/jobs': admin,
  'POST /v1/admin/jobs/{id}/retry': admin,
  'DELETE /v1/admin/jobs/{id}': admin,
  'POST /v1/monitor-events/{id}/ack': writeMonitors,
  'POST /v1/monitor-events/{id}/resolve': writeMonitors,
  'POST /v1/monitor-events/{id}/false-positive': writeMonitors,
  'POST /v1/monitor-events/{id}/notes': writeMonitors,
  'GET /v1/monitor-groups': readMonitors,
  'POST /v1/monitor-groups': writeMonitors,
  'PATCH /v1/monitor-groups/{id}': writeMonitors,
  'DELETE /v1/monitor-groups/{id}': writeMonitors,
  'GET /v1/maintenance-windows': readMonitors,
  'POST /v1/maintenance-windows': writeMonitors,
  'GET /v1/maintenance-windows/{id}': readMonitors,
  'PATCH /v1/maintenance-windows/{id}': writeMonitors,
  'DELETE /v1/maintenance-windows/{id}': writeMonitors,
};

const documented = routes.filter(({ isDocumented }) => isDocumented !== false);
const nameOf = ({ method, path }: AnyRoute) => `${method} ${path}`;

t.test('every documented operation says who may call it', async (t) => {
  t.strictSame(new Set(documented.map(nameOf)), new Set(Object.keys(expected)));
  for (const route of documented) t.strictSame(route.auth, expected[nameOf(route)], nameOf(route));
});

t.test('every operation lets in whom it declares, and refuses everybody else with the right code', async (t) => {
  const callers = await makeCallers(t);
  const credentials = new Map<Caller, string | null>();
  const check = async (route: AnyRoute, caller: Caller) => {
    const token = credentials.get(caller) ?? (await caller.make());
    const answer = await callers.call(route, token);
    const wanted = expectedAnswer(route.auth, caller);
    const name = `${nameOf(route)}: ${caller.name}`;
    // whoever gets in may end what got them in
    if (wanted === null && route.method !== 'GET') credentials.delete(caller);
    else credentials.set(caller, token);
    if (wanted === null) t.notMatch(answer, refusedByFrame, name);
    else t.equal(answer, wanted, name);
  };
  for (const route of documented) await Promise.all(callers.all.map((caller) => check(route, caller)));
});

t.test('what belongs to somebody else is not there, for any operation', async (t) => {
  const { stack, call, all } = await makeCallers(t);
  const foreign = await makeForeign(stack);
  const stranger = all.find(({ name }) => name === 'a session') as Caller;
  for (const route of documented.filter(({ path }) => path.includes('{'))) {
    if (route.auth.kind === 'admin') continue;
    const prefix = route.path.slice(0, route.path.indexOf('/{'));
    const id = foreign[prefix];
    if (id === 'public') continue;
    if (id === undefined) t.fail(`${nameOf(route)}: this test does not know a resource of somebody else`);
    else t.match(await call(route, await stranger.make(), id), /^404 /, nameOf(route));
  }
});

/** How the frame refuses whoever may not call; a handler that refuses for reasons of its own says which. */
const refusedByFrame = /AUTH_REQUIRED|AUTH_INVALID_TOKEN|FORBIDDEN$|^5/;

/** Somebody who calls: with which kind of credentials, and what those are good for. */
interface Caller {
  readonly name: string;
  /** The answer to whatever they ask, unless the operation looks at no credentials; null: it depends. */
  readonly refusal: string | null;
  readonly kind: 'none' | 'session' | 'personal_access_token' | 'api_key';
  readonly isAdmin: boolean;
  readonly scopes: readonly string[];
  make(): Promise<string | null>;
}

function expectedAnswer(auth: Auth, caller: Caller): string | null {
  if (auth.kind === 'none') return null;
  if (caller.kind === 'none') return auth.kind === 'public' ? null : '401 AUTH_REQUIRED';
  if (caller.refusal !== null) return caller.refusal;
  switch (auth.kind) {
    case 'session':
      return caller.kind === 'session' ? null : '403 FORBIDDEN';
    case 'admin':
      return caller.isAdmin && caller.kind !== 'api_key' ? null : '403 FORBIDDEN';
    case 'public':
    case 'scope':
      return auth.scope === undefined || caller.scopes.includes(auth.scope) ? null : '403 FORBIDDEN';
  }
}

async function makeCallers(t: Test) {
  const stack = await startStack(t, { VANTAGE_TRUSTED_PROXIES: '127.0.0.1/32' });
  const { api, controlPlane, database } = stack;
  const { accounts, sessions, tokens } = controlPlane.services;
  const { db } = database;
  let count = 0;
  let calls = 0;
  const user = async (role: 'user' | 'admin' = 'user') => {
    const { id } = await accounts.createUser({ email: `caller${++count}@test.example`, role, password: null });
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
  const key = async (userId: string, chosen?: readonly ('billing:read' | 'read' | 'write')[]) => {
    const request = { name: 'test', ...(chosen === undefined ? {} : { scopes: [...chosen] }) };
    return (await tokens.apiKeys.create({ userId, scopes: null }, request, commandLine)).key;
  };
  const withoutAccount = scopes.filter((scope) => scope !== 'account');
  const base = { refusal: null, isAdmin: false, scopes } as const;
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
      scopes: ['billing:read'],
      make: async () => key(await user(), ['billing:read']),
    },
    {
      ...base,
      name: 'a personal token without the scope',
      kind: 'personal_access_token',
      scopes: ['billing:read', 'account'],
      make: async () => personal(await user(), ['billing:read']),
    },
    {
      ...base,
      name: 'a session of an administrator',
      kind: 'session',
      isAdmin: true,
      make: async () => session(await user('admin')),
    },
    {
      ...base,
      name: 'a personal token of an administrator',
      kind: 'personal_access_token',
      isAdmin: true,
      make: async () => personal(await user('admin')),
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
      make: async () => {
        const token = await key(await user());
        await db('api_keys')
          .where({ token_id: token.slice(8, 20) })
          .update({ revoked_at: new Date() });
        return token;
      },
    },
    {
      ...base,
      name: 'an expired API key',
      kind: 'api_key',
      refusal: '401 TOKEN_EXPIRED',
      make: async () => {
        const token = await key(await user());
        await db('api_keys')
          .where({ token_id: token.slice(8, 20) })
          .update({ expires_at: new Date(0) });
        return token;
      },
    },
    {
      ...base,
      name: 'a revoked personal token',
      kind: 'personal_access_token',
      refusal: '401 AUTH_INVALID_TOKEN',
      make: async () => {
        const token = await personal(await user());
        await db('personal_access_tokens')
          .where({ token_id: token.slice(8, 20) })
          .update({ revoked_at: new Date() });
        return token;
      },
    },
    {
      ...base,
      name: 'a disabled account',
      kind: 'personal_access_token',
      refusal: '403 AUTH_ACCOUNT_DISABLED',
      make: async () => {
        const userId = await user('admin');
        const token = await personal(userId);
        await accounts.setDisabled(userId, true, commandLine);
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
        await accounts.delete(userId, commandLine);
        return token;
      },
    },
  ];
  const call = async (route: AnyRoute, as: string | null, id = '1111111111111111111111') => {
    const response = await fetch(new URL(route.path.replace(/\{\w+\}/, id), api.url), {
      method: route.method,
      headers: {
        // everybody from an address of their own: what is tested are credentials, not limits
        'x-forwarded-for': `198.18.${++calls >> 8}.${calls & 255}`,
        ...(as === null ? {} : { authorization: `Bearer ${as}` }),
        ...(route.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(route.body === undefined ? {} : { body: JSON.stringify(route.bodyExample ?? {}) }),
    });
    const text = await response.text();
    const { code = '', details } = JSON.parse(text === '' || text.startsWith('event') ? '{}' : text).error ?? {};
    return `${response.status} ${code}${details === undefined || 'authorization' in details ? '' : ' with details'}`;
  };
  return { stack, all, call };
}

/** Ids of resources of one account, by the path they lie under. `public`: not anybody's. */
async function makeForeign({ api, controlPlane, database }: Stack): Promise<Record<string, string>> {
  const owner = api.userId;
  const { sessions, tokens } = controlPlane.services;
  const client = { address: '192.0.2.1', userAgent: null };
  const opened = await database.db.transaction((trx) => sessions.open(trx, owner, { methods: ['password'], client }));
  const grantor = { userId: owner, scopes: null };
  const { id: keyId } = await tokens.apiKeys.create(grantor, { name: 'theirs' }, commandLine);
  const { id: tokenId } = await tokens.personal.create(grantor, { name: 'theirs' }, commandLine);
  const enrollment = await api.call('POST', '/v1/nodes/enrollment-tokens', { body: {} });
  const nodeId = await insertNode(database.db, { user_id: owner });
  const taskId = newId(idPrefixes.probeTask);
  await database.db('probe_tasks').insert({
    id: taskId,
    user_id: owner,
    probe_type: 'http',
    target: 'https://example.com/',
    spec: '{}',
    created_at: new Date(),
  });
  const [monitorId, eventId] = [newId(idPrefixes.monitor), newId(idPrefixes.monitorEvent)];
  await database.db('monitors').insert({
    id: monitorId,
    user_id: owner,
    name: 'theirs',
    type: 'tcp',
    target: '192.0.2.1:80',
    interval_s: 60,
    config: '{}',
    node_selection: '{}',
    node_count: 3,
    consecutive_fail: 2,
    consecutive_ok: 1,
    fail_node_quorum: '2/3',
  });
  await database.db('monitor_states').insert({ monitor_id: monitorId });
  const event = { id: eventId, monitor_id: monitorId, type: 'down', started_at: new Date() };
  await database.db('monitor_events').insert(event);
  const group = await api.call('POST', '/v1/monitor-groups', { body: { name: 'theirs' } });
  const window = await api.call('POST', '/v1/maintenance-windows', {
    body: {
      scope_type: 'all',
      starts_at: new Date().toISOString(),
      ends_at: new Date(Date.now() + 60_000).toISOString(),
    },
  });
  return {
    '/v1/monitors': monitorId,
    '/v1/monitor-events': eventId,
    '/v1/monitor-groups': group.body.data.id,
    '/v1/maintenance-windows': window.body.data.id,
    '/v1/account/sessions': opened.sessionId,
    '/v1/account/api-keys': keyId,
    '/v1/account/tokens': tokenId,
    '/v1/nodes/enrollment-tokens': enrollment.body.data.id,
    '/v1/probe/tasks': taskId,
    '/v1/account/nodes': nodeId,
    '/v1/nodes': 'public',
    '/hb': 'public',
    '/api/push': 'public',
    '/badge': 'public',
  };
}
