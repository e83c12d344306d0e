import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import type { Scope } from '../src/http/scopes.js';
import { createUserApi, startStack, type TestApi } from './_support/stack.js';

const keysPath = '/v1/account/api-keys';
const DAY_MS = 86_400_000;

/** Outcome of an operation with a key: status and error code. */
async function answerOf(api: TestApi, method: string, path: string, as: string): Promise<string> {
  const { status, body } = await api.call(method, path, { as, ...(method === 'POST' ? { body: {} } : {}) });
  return `${status} ${body.error?.code ?? ''}`.trim();
}

async function makeKey(api: TestApi, request: object = {}, as = api.token) {
  const { status, body } = await api.call('POST', keysPath, { body: { name: 'ci', ...request }, as });
  if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body.data;
}

t.test('API keys over HTTP', async (t) => {
  const { api, controlPlane, database } = await startStack(t);
  const other = await createUserApi(controlPlane, 'grace@test.example', 'user');
  const listed = async () => (await api.call('GET', `${keysPath}?limit=200`)).body.data.api_keys;

  t.test('a key is shown once, listed without its secret, and revoked', async (t) => {
    const { status, body } = await api.call('POST', keysPath, {
      body: { name: 'dashboard', scopes: ['read'], type: 'test', allowed_origins: ['HTTPS://App.Example:443'] },
    });
    t.equal(status, 201);
    const { key, ...shown } = body.data;
    t.match(shown, { name: 'dashboard', type: 'test', scopes: ['read'], allowed_origins: ['https://app.example'] });
    t.match(shown, { status: 'active', last_used_at: null });
    t.equal(Math.abs(Date.parse(shown.expires_at) - Date.now() - 90 * DAY_MS) < 600_000, true, 'in 90 days');
    const answer = await api.call('GET', keysPath);
    t.strictSame(answer.body.data, { api_keys: [shown], total: 1, limit: 20, offset: 0 });
    t.notOk(JSON.stringify(answer.body).includes(key.slice(8 + 12)), 'the secret is never shown again');
    t.equal(await answerOf(api, 'GET', '/v1/probe/tasks', key), '200');
    await until('its use to be recorded', async () => (await listed())[0].last_used_at !== null);
    for (const time of ['first', 'second']) {
      const revoked = await api.call('DELETE', `${keysPath}/${shown.id}`);
      t.match(revoked, { status: 200, body: { data: null } }, `revoked for the ${time} time`);
    }
    t.equal(await answerOf(api, 'GET', '/v1/probe/tasks', key), '401 API_KEY_REVOKED');
    t.match(await listed(), [{ id: shown.id, status: 'revoked' }]);
    const acts = await database.db('audit_log').where({ subject: shown.id }).orderBy('id').select();
    t.match(acts, [
      { action: 'api_key.created', account_id: api.userId, user_id: api.userId, credential_id: /^pat_/ },
      { action: 'api_key.revoked', account_id: api.userId, user_id: api.userId, address: '127.0.0.1' },
    ]);
  });

  t.test('each field accepts values within its limits and names those that are not', async (t) => {
    const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
    const origins = (count: number) => Array.from({ length: count }, (_, n) => `https://app${n}.example`);
    const all = ['probe', 'probe:read', 'monitor:read', 'monitor:write', 'alert:read', 'alert:write'];
    const accepted: readonly object[] = [
      { name: 'x' },
      { name: 'é'.repeat(200) },
      { scopes: [] },
      { scopes: [...all, 'read', 'write'] },
      { type: 'production' },
      { expires_days: 1 },
      { expires_days: 90 },
      { expires_at: null },
      { expires_days: 1, expires_at: null },
      { expires_at: inDays(0.01) },
      { expires_at: inDays(89.99) },
      { allowed_origins: [] },
      { allowed_origins: origins(20) },
    ];
    for (const request of accepted) t.match(await makeKey(api, request), { key: /^sk_live_/ }, JSON.stringify(request));
    const refused: readonly (readonly [object, string, string])[] = [
      [{ name: undefined }, 'name', 'required'],
      [{ name: '' }, 'name', 'length'],
      [{ name: 'x'.repeat(201) }, 'name', 'length'],
      [{ name: 7 }, 'name', 'type'],
      [{ scopes: ['account'] }, 'scopes.0', 'enum'],
      [{ scopes: ['read', 'everything'] }, 'scopes.1', 'enum'],
      [{ scopes: ['read', 'read'] }, 'scopes', 'conflict'],
      [{ scopes: 'read' }, 'scopes', 'type'],
      [{ type: 'live' }, 'type', 'enum'],
      [{ expires_days: 0 }, 'expires_days', 'range'],
      [{ expires_days: 91 }, 'expires_days', 'range'],
      [{ expires_days: 1.5 }, 'expires_days', 'type'],
      [{ expires_days: '30' }, 'expires_days', 'type'],
      [{ expires_at: inDays(-0.01) }, 'expires_at', 'range'],
      [{ expires_at: inDays(90.01) }, 'expires_at', 'range'],
      [{ expires_at: 'tomorrow' }, 'expires_at', 'format'],
      [{ expires_at: 1_800_000_000 }, 'expires_at', 'type'],
      [{ expires_days: 1, expires_at: inDays(1) }, 'expires_at', 'conflict'],
      [{ allowed_origins: origins(21) }, 'allowed_origins', 'length'],
      [{ allowed_origins: ['https://app.example/'] }, 'allowed_origins.0', 'format'],
      [{ allowed_origins: [''] }, 'allowed_origins.0', 'length'],
      [{ colour: 'blue' }, 'colour', 'unknown'],
    ];
    for (const [request, field, code] of refused) {
      const { status, body } = await api.call('POST', keysPath, { body: { name: 'ci', ...request } });
      const expected = { status: 400, code: 'VALIDATION_FAILED', details: { [field]: [{ code }] } };
      t.match({ status, ...body.error }, expected, JSON.stringify(request));
    }
  });

  t.test('a key permits what its scopes name, and never access to the account', async (t) => {
    const opened = async (scopes: readonly string[]) => {
      const { key } = await makeKey(api, { scopes });
      const forbidden = '403 FORBIDDEN';
      return {
        read: (await answerOf(api, 'GET', '/v1/probe/tasks', key)) !== forbidden,
        probe: (await answerOf(api, 'POST', '/v1/probe/ping', key)) !== forbidden,
        account: (await answerOf(api, 'GET', keysPath, key)) !== forbidden,
        admin: (await answerOf(api, 'POST', '/v1/admin/nodes/n_1/ban', key)) !== forbidden,
      };
    };
    const closed = { read: false, probe: false, account: false, admin: false };
    t.strictSame(await opened(['read']), { ...closed, read: true });
    t.strictSame(await opened(['write']), { ...closed, read: true, probe: true });
    t.strictSame(await opened(['probe:read']), { ...closed, read: true });
    t.strictSame(await opened(['probe']), { ...closed, read: true, probe: true });
    t.strictSame(await opened(['alert:read', 'monitor:write']), closed);
    t.strictSame(
      await opened([]),
      { ...closed, read: true, probe: true },
      'and keys of an administrator are no exception',
    );
  });

  t.test('pages of origins that are not allowed are refused; a request without an origin is not checked', async (t) => {
    const { key } = await makeKey(api, { allowed_origins: ['https://app.example', 'http://localhost:3000'] });
    const { key: open } = await makeKey(api);
    const from = async (token: string, origin: string | null) => {
      const headers = { authorization: `Bearer ${token}`, ...(origin === null ? {} : { origin }) };
      return (await fetch(new URL('/v1/probe/tasks', api.url), { headers })).status;
    };
    const cases: readonly (readonly [string | null, number])[] = [
      [null, 200],
      ['https://app.example', 200],
      ['http://localhost:3000', 200],
      ['http://app.example', 403],
      ['https://app.example:8443', 403],
      ['https://evil.app.example', 403],
      ['null', 403],
    ];
    for (const [origin, status] of cases) {
      t.equal(await from(key, origin), status, `${origin}`);
      t.equal(await from(open, origin), 200, `${origin}, and a key without allowed origins`);
    }
    const headers = { authorization: `Bearer ${key}`, origin: 'https://evil.example' };
    const refused = await (await fetch(new URL('/v1/probe/tasks', api.url), { headers })).json();
    t.match(refused, { error: { code: 'FORBIDDEN', details: { origin: [{ code: 'refused' }] } } });
  });

  t.test('the list is sorted newest first, in pages of 1 to 200', async (t) => {
    const made: string[] = [];
    for (let n = 0; n < 3; n++) made.unshift((await makeKey(other)).id);
    const slice = async (query: string) => {
      const { status, body } = await other.call('GET', `${keysPath}${query}`);
      const { api_keys: keys = [], ...rest } = body.data ?? {};
      return { status, ids: keys.map(({ id }: { id: string }) => id), ...rest };
    };
    t.strictSame(await slice(''), { status: 200, ids: made, total: 3, limit: 20, offset: 0 });
    t.strictSame(await slice('?limit=1'), { status: 200, ids: made.slice(0, 1), total: 3, limit: 1, offset: 0 });
    t.strictSame(await slice('?limit=200&offset=1'), {
      status: 200,
      ids: made.slice(1),
      total: 3,
      limit: 200,
      offset: 1,
    });
    t.strictSame(await slice('?offset=3'), { status: 200, ids: [], total: 3, limit: 20, offset: 3 });
    for (const query of ['limit=0', 'limit=201', 'offset=-1', 'limit=x', 'offset=99999999999999999999']) {
      t.equal((await slice(`?${query}`)).status, 400, query);
    }
  });

  t.test('a key of another account, or a key that does not exist, is not found', async (t) => {
    const { id, key } = await makeKey(other);
    for (const unknown of [id, 'key_1111111111111111111111', 'x']) {
      const { status, body } = await api.call('DELETE', `${keysPath}/${unknown}`);
      t.match({ status, code: body.error?.code }, { status: 404, code: 'API_KEY_NOT_FOUND' }, unknown);
    }
    t.equal(await answerOf(api, 'GET', '/v1/probe/tasks', key), '200', 'and still works');
  });

  t.test('a personal access token creates no key with more scopes than its own', async (t) => {
    const narrow = await createNarrow(other, ['probe', 'monitor:read']);
    const attempt = async (request: object) => {
      const { status, body } = await other.call('POST', keysPath, { body: { name: 'ci', ...request }, as: narrow });
      return { status, code: body.error?.code, details: body.error?.details };
    };
    for (const scopes of [['probe'], ['probe:read', 'monitor:read']])
      t.match(await attempt({ scopes }), { status: 201 });
    t.match(await attempt({ scopes: ['probe', 'monitor:write', 'read'] }), {
      status: 403,
      code: 'FORBIDDEN',
      details: { scopes: [{ code: 'refused', message: /^"monitor:write"/ }, { message: /^"read"/ }] },
    });
    t.match(await attempt({}), { status: 403, details: { scopes: [{}, {}] } }, 'nor by default');
  });
});

/** A personal access token with these scopes. */
async function createNarrow(api: TestApi, scopes: readonly Scope[]): Promise<string> {
  const { body } = await api.call('POST', '/v1/account/tokens', { body: { name: 'narrow', scopes } });
  return body.data.token;
}
