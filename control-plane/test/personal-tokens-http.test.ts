import { until } from '@vantage/shared/_support/until.js';
import { tokenPrefixes } from '@vantage/shared/tokens.js';
import t from 'tap';
import { enrollPeer } from './_support/peer-agent.js';
import { createUserApi, startStack } from './_support/stack.js';

const tokensPath = '/v1/account/tokens';
const keysPath = '/v1/account/api-keys';
const DAY_MS = 86_400_000;

t.test('personal access tokens over HTTP', async (t) => {
  const { api, controlPlane, database } = await startStack(t);
  const user = await createUserApi(controlPlane, 'ada@test.example', 'user');
  const sessionOf = async (userId: string) => {
    const client = { address: '192.0.2.1', userAgent: null };
    const proof = { methods: ['password' as const], client };
    return (await controlPlane.services.accounts.sessions.open(database.db, userId, proof)).accessToken;
  };
  const create = (request: object = {}, as = user.token) =>
    user.call('POST', tokensPath, { body: { name: 'laptop', ...request }, as });

  t.test('a token is shown once, listed without its secret, and may revoke itself', async (t) => {
    const { status, body } = await create({ scopes: ['probe:read'], expires_days: 365 });
    t.equal(status, 201);
    const { token, ...shown } = body.data;
    t.match(shown, { id: /^pat_/, name: 'laptop', scopes: ['probe:read', 'account'], status: 'active' });
    t.equal(Math.abs(Date.parse(shown.expires_at) - Date.now() - 365 * DAY_MS) < 600_000, true, 'in 365 days');
    const answer = await user.call('GET', tokensPath);
    t.strictSame(answer.body.data.tokens[0], shown);
    t.match(answer.body.meta.pagination, { page: 1, page_size: 20, total: 2, has_more: false });
    t.notOk(JSON.stringify(answer.body).includes(token.slice(8 + 12)), 'the secret is never shown again');
    t.match(await user.call('DELETE', `${tokensPath}/${shown.id}`, { as: token }), {
      status: 200,
      body: { data: null },
    });
    t.match(await user.call('GET', tokensPath, { as: token }), {
      status: 401,
      body: { error: { code: 'AUTH_INVALID_TOKEN' } },
    });
    t.equal((await user.call('DELETE', `${tokensPath}/${shown.id}`)).status, 200, 'repeating it has no effect');
    t.match((await user.call('GET', tokensPath)).body.data.tokens[0], { id: shown.id, status: 'revoked' });
  });

  t.test('each field accepts values within its limits and names those that are not', async (t) => {
    const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
    for (const request of [
      { name: 'x' },
      { name: 'x'.repeat(200) },
      { expires_days: 1 },
      { expires_days: 365 },
      { expires_at: inDays(364.99) },
      { expires_at: null },
      { scopes: ['account'] },
    ]) {
      t.equal((await create(request)).status, 201, JSON.stringify(request));
    }
    const refused: readonly (readonly [object, string, string])[] = [
      [{ name: '' }, 'name', 'length'],
      [{ name: 'x'.repeat(201) }, 'name', 'length'],
      [{ scopes: [] }, 'scopes', 'length'],
      [{ scopes: ['read'] }, 'scopes.0', 'enum'],
      [{ scopes: ['probe', 'probe'] }, 'scopes', 'conflict'],
      [{ expires_days: 0 }, 'expires_days', 'range'],
      [{ expires_days: 366 }, 'expires_days', 'range'],
      [{ expires_at: inDays(365.01) }, 'expires_at', 'range'],
      [{ expires_days: 1, expires_at: inDays(1) }, 'expires_at', 'conflict'],
      [{ allowed_origins: [] }, 'allowed_origins', 'unknown'],
    ];
    for (const [request, field, code] of refused) {
      const { status, body } = await create(request);
      t.match(
        { status, details: body.error?.details },
        { status: 400, details: { [field]: [{ code }] } },
        JSON.stringify(request),
      );
    }
  });

  t.test('a token creates no other token with more scopes than its own', async (t) => {
    const { token: narrow } = (await create({ scopes: ['probe', 'monitor:read'] })).body.data;
    t.equal((await create({ scopes: ['probe:read'] }, narrow)).status, 201);
    t.match(await create({ scopes: ['probe', 'alert:read'] }, narrow), {
      status: 403,
      body: { error: { code: 'FORBIDDEN', details: { scopes: [{ code: 'refused', message: /^"alert:read"/ }] } } },
    });
    t.equal((await create({}, narrow)).status, 403, 'nor by default');
  });

  t.test(
    'an administrator’s token has administrator rights only with the scope admin, and only while its owner is one',
    async (t) => {
      const session = await sessionOf(api.userId);
      const make = async (scopes: readonly string[] | undefined, as: string) =>
        create({ name: 'deploy', ...(scopes === undefined ? {} : { scopes }) }, as);
      const narrow = (await make(['probe:read'], session)).body.data.token;
      const usual = (await make(undefined, session)).body.data.token;
      const broad = (await make(['admin'], session)).body.data.token;
      const { nodeId } = await enrollPeer(user);
      const node = (as: string) => api.call('GET', `/v1/nodes/${nodeId}`, { as });
      for (const token of [narrow, usual]) {
        for (const [method, path] of [
          ['GET', '/v1/admin/nodes'],
          ['GET', '/v1/admin/audit'],
          ['POST', `/v1/admin/nodes/${nodeId}/drain`],
        ] as const) {
          t.match(await api.call(method, path, { as: token }), {
            status: 403,
            body: { error: { code: 'FORBIDDEN', details: { authorization: [{ message: /the scope "admin"/ }] } } },
          });
        }
        t.equal((await node(token)).status, 404, 'nor does it see private nodes of others');
        t.match(await api.call('POST', '/v1/nodes/enrollment-tokens', { as: token, body: {} }), {
          status: 403,
          body: {
            error: {
              details: {
                authorization: [{ message: /"admin" in addition, because it creates credentials with them/ }],
              },
            },
          },
        });
        t.match(await make(['admin'], token), {
          status: 403,
          body: {
            error: { details: { scopes: [{ code: 'refused', message: /^"admin" is only for administrators/ }] } },
          },
        });
      }
      t.equal((await make(['admin'], await sessionOf(user.userId))).status, 403, 'other users cannot ask for it');
      t.equal((await create({ scopes: ['admin'] })).status, 403);
      const reader = (await create({ scopes: ['probe:read', 'monitor:read'] })).body.data.token;
      t.match(await api.call('POST', '/v1/nodes/enrollment-tokens', { as: reader, body: {} }), {
        status: 403,
        body: { error: { details: { authorization: [{ message: /^needs the scopes "monitor:write" in addition/ }] } } },
      });
      for (const token of [broad, session]) {
        t.equal((await api.call('GET', '/v1/admin/nodes', { as: token })).status, 200);
        t.equal((await node(token)).status, 200);
      }
      await database.db('users').where({ id: api.userId }).update({ role: 'user' });
      for (const token of [broad, session]) {
        await until('the cached entry to be dropped', async () => (await node(token)).status === 404);
        t.equal((await api.call('GET', '/v1/admin/nodes', { as: token })).status, 403);
        t.equal((await make(['admin'], token)).status, 403);
      }
      await database.db('users').where({ id: api.userId }).update({ role: 'admin' });
    },
  );

  t.test('an API key lists no tokens and creates none', async (t) => {
    const { key } = (await user.call('POST', keysPath, { body: { name: 'ci' } })).body.data;
    for (const [method, path] of [
      ['GET', tokensPath],
      ['POST', tokensPath],
      ['DELETE', `${tokensPath}/pat_1111111111111111111111`],
      ['GET', keysPath],
      ['POST', keysPath],
      ['DELETE', `${keysPath}/key_1111111111111111111111`],
    ] as const) {
      const body = method === 'POST' ? { body: { name: 'x' } } : {};
      const answer = await user.call(method, path, { as: key, ...body });
      t.match(answer, { status: 403, body: { error: { code: 'FORBIDDEN' } } }, `${method} ${path}`);
    }
  });

  t.test('a token of another account, or one that does not exist, is not found', async (t) => {
    const { id, token } = (await create()).body.data;
    for (const unknown of [id, 'pat_1111111111111111111111', 'x']) {
      const { status, body } = await api.call('DELETE', `${tokensPath}/${unknown}`);
      t.match({ status, code: body.error?.code }, { status: 404, code: 'PAT_NOT_FOUND' }, unknown);
    }
    t.equal((await user.call('GET', tokensPath, { as: token })).status, 200, 'and still works');
  });

  t.test('the list comes in pages, newest first', async (t) => {
    const newest = (await create({ name: 'newest' })).body.data.id;
    const page = async (query: string) => {
      const { status, body } = await user.call('GET', `${tokensPath}?${query}`);
      return { status, ids: body.data?.tokens.map(({ id }: { id: string }) => id), ...body.meta?.pagination };
    };
    const first = await page('page_size=1');
    t.match(first, { ids: [newest], page: 1, has_more: true });
    t.match(await page(`page_size=1&page=${first.total + 1}`), { ids: [], has_more: false, total: first.total });
    t.equal((await page('limit=200')).ids.length, first.total);
    for (const query of ['limit=201', 'page_size=0', 'page=0']) t.equal((await page(query)).status, 400, query);
  });

  t.test('no secret can be read from the database', async (t) => {
    const { body: enrollment } = await api.call('POST', '/v1/nodes/enrollment-tokens', { body: {} });
    await enrollPeer(api);
    const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' };
    const repeated = { ...headers, 'idempotency-key': 'the-same-again' };
    const post = async (path: string, sent: Record<string, string>) => {
      const reply = await fetch(new URL(path, api.url), { method: 'POST', headers: sent, body: '{"name":"ci"}' });
      const { data } = (await reply.json()) as { data: { token: string; key: string } };
      return data;
    };
    const secrets: readonly (readonly [string, string])[] = [
      [tokenPrefixes.personalAccess, api.token],
      [tokenPrefixes.personalAccess, (await post(tokensPath, repeated)).token],
      [tokenPrefixes.liveApiKey, (await post(keysPath, headers)).key],
      [tokenPrefixes.liveApiKey, (await post(keysPath, repeated)).key],
      [tokenPrefixes.enrollment, enrollment.data.token],
    ];
    const rows: string[] = [];
    for (const table of await database.db('pg_tables').where({ schemaname: 'public' }).pluck('tablename')) {
      const { rows: texts } = await database.db.raw('SELECT t::text AS text FROM ?? t', [table]);
      rows.push(...texts.map(({ text }: { text: string }) => text));
    }
    const stored = rows.join('\n');
    for (const [prefix, token] of secrets) {
      const [id, secret] = [token.slice(prefix.length, prefix.length + 12), token.slice(prefix.length + 12, -6)];
      t.equal(secret.length, 43);
      t.ok(stored.includes(id), 'its row is among them');
      for (const text of [token, secret]) {
        t.notOk(stored.includes(text));
        t.notOk(stored.includes(Buffer.from(text).toString('hex')), 'as bytes');
        t.notOk(stored.includes(Buffer.from(text).toString('base64').slice(0, 40)), 'as base64');
      }
      t.notOk(stored.includes(Buffer.from(secret, 'base64url').toString('hex')), 'decoded');
    }
  });
});
