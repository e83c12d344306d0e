import t from 'tap';
import type { AnyRoute, Auth } from '../src/http/route.js';
import { routes } from '../src/routes.js';
import { createUserApi, startStack } from './_support/stack.js';

const probe: Auth = { kind: 'public', scope: 'probe' };
const readBack: Auth = { kind: 'public', scope: 'probe:read' };
const anybody: Auth = { kind: 'public' };
const account: Auth = { kind: 'scope', scope: 'account' };
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
  'GET /v1/nodes': anybody,
  'GET /v1/nodes/{id}': anybody,
  'POST /v1/nodes/enroll': anybody,
  'POST /v1/nodes/enrollment-tokens': account,
  'GET /v1/nodes/enrollment-tokens': account,
  'DELETE /v1/nodes/enrollment-tokens/{id}': account,
  'POST /v1/admin/nodes/{id}/ban': admin,
  'POST /v1/admin/nodes/{id}/unban': admin,
};

const documented = routes.filter(({ isDocumented }) => isDocumented !== false);
const nameOf = ({ method, path }: AnyRoute) => `${method} ${path}`;

t.test('every documented operation says who may call it', async (t) => {
  t.strictSame(new Set(documented.map(nameOf)), new Set(Object.keys(expected)));
  for (const route of documented) t.strictSame(route.auth, expected[nameOf(route)], nameOf(route));
});

t.test('every documented operation refuses whoever may not call it', async (t) => {
  const { api, controlPlane } = await startStack(t);
  const user = await createUserApi(controlPlane, 'user@test.example', 'user');
  const { token: scopeless } = await controlPlane.services.accounts.createToken(user.userId, {
    name: 'nothing here',
    scopes: ['billing:read'],
  });
  for (const route of documented) {
    const call = async (as: string | null) => {
      const path = route.path.replace('{id}', 'pt_1111111111111111111111');
      const body = route.body === undefined ? {} : { body: route.bodyExample ?? {} };
      const { status, body: answer } = await api.call(route.method, path, { as, ...body });
      return `${status} ${answer.error?.code ?? ''}`;
    };
    const { auth } = route;
    const name = nameOf(route);
    if (auth.kind === 'public') t.notMatch(await call(null), /^40[13] AUTH|^403/, `${name}: anybody`);
    else t.equal(await call(null), '401 AUTH_REQUIRED', `${name}: without credentials`);
    t.equal(await call('svc_pat_nonsense'), '401 AUTH_INVALID_TOKEN', `${name}: with a wrong token`);
    if ('scope' in auth) t.equal(await call(scopeless), '403 FORBIDDEN', `${name}: without the scope`);
    if (auth.kind === 'admin') t.equal(await call(user.token), '403 FORBIDDEN', `${name}: by a user who is no admin`);
    else t.notMatch(await call(user.token), /^403/, `${name}: by a user with every scope`);
  }
});
