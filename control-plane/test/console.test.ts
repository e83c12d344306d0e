import t from 'tap';
import { PageVisitor } from './_support/page-visitor.js';
import { startStack } from './_support/stack.js';

const { api, controlPlane, database } = await startStack(t);
const sameOrigin = { 'Sec-Fetch-Site': 'same-origin', 'X-Vantage-Console': '1' };
let people = 0;

/** A person who signed up on the page, by the cookie of the browser. */
async function signedUp() {
  const visitor = new PageVisitor(api.url);
  const email = `console-${++people}@example.com`;
  await visitor.get('/sign-up');
  await visitor.submit({ email, password: 'correct horse battery staple' });
  const cookie = [...visitor.cookies].map((pair) => pair.join('=')).join('; ');
  return { email, cookie };
}

function post(path: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(api.url + path, { method: 'POST', headers });
}

async function tokenOf(cookie: string): Promise<string> {
  const response = await post('/session/token', { ...sameOrigin, cookie });
  return ((await response.json()) as { data: { access_token: string } }).data.access_token;
}

t.test('every address of the console is the same document, which runs its own scripts alone', async (t) => {
  const [home, view] = await Promise.all(
    ['/console', '/console/monitors/m_1?tab=events'].map((path) => fetch(api.url + path)),
  );
  const html = await home?.text();
  t.equal(await view?.text(), html);
  t.equal(view?.headers.get('set-cookie'), null);
  t.equal(view?.headers.get('cache-control'), 'no-cache');
  const policy = view?.headers.get('content-security-policy') ?? '';
  t.match(policy, "default-src 'none'; script-src 'self' 'sha256-");
  t.notMatch(policy, 'unsafe');
  t.equal(
    (await fetch(`${api.url}/console`, { headers: { 'If-None-Match': view?.headers.get('etag') ?? '' } })).status,
    304,
  );
  t.equal((await post('/console/monitors', {})).status, 405);
});

t.test(
  'files have names that change with them, are kept for good, and a missing one is never the document',
  async (t) => {
    const html = await (await fetch(`${api.url}/console`)).text();
    const [path = ''] = /\/console\/assets\/main-\w+\.js/.exec(html) ?? [];
    const script = await fetch(api.url + path, { headers: { 'Accept-Encoding': 'br' } });
    t.match(Object.fromEntries(script.headers), {
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'br',
      'content-type': 'text/javascript; charset=utf-8',
    });
    for (const missing of [
      '/console/assets/main-AAAAAAAA.js',
      '/console/assets/..%2findex.html',
      '/console/favicon.ico',
      '/console/assets/a/b',
    ]) {
      const response = await fetch(api.url + missing);
      t.match(await response.json(), { error: { code: 'NOT_FOUND' } }, missing);
    }
  },
);

t.test(
  'a replica sends the files of the versions that others serve, until none has served them for a week',
  async (t) => {
    const path = 'old-AAAAAAAA.js';
    const days = (count: number) => new Date(Date.now() - count * 86_400_000);
    await database.db('console_assets').insert({ path, body: Buffer.from('1'), last_seen_at: days(6) });
    const { files } = controlPlane.services.console;
    await files.upkeep();
    t.equal(await (await fetch(`${api.url}/console/assets/${path}`)).text(), '1');
    await database
      .db('console_assets')
      .where({ path })
      .update({ last_seen_at: days(8) });
    await files.upkeep();
    t.equal((await fetch(`${api.url}/console/assets/${path}`)).status, 404);
    const { count } = (await database.db('console_assets').count().first()) as { count: string };
    t.not(count, '0', 'its own are kept');
  },
);

t.test('the session of a browser gives its own pages an access token, and other sites none', async (t) => {
  const { email, cookie } = await signedUp();
  const response = await post('/session/token', { ...sameOrigin, cookie });
  const { data } = (await response.json()) as { data: { access_token: string } };
  t.match(data, { token_type: 'Bearer', expires_in: 900, user: { email }, role: 'user', access_token: /^eyJ/ });
  t.equal(response.headers.get('cache-control'), 'no-store');
  t.equal(response.headers.get('access-control-allow-origin'), null);
  const account = await fetch(`${api.url}/v1/account/profile`, {
    headers: { Authorization: `Bearer ${data.access_token}` },
  });
  t.equal(account.status, 200);
  t.equal(
    (await fetch(`${api.url}/v1/account/profile`, { headers: { cookie } })).status,
    401,
    'the API reads no cookie',
  );
  const foreign: Record<string, string>[] = [
    { 'X-Vantage-Console': '1' },
    { 'Sec-Fetch-Site': 'same-origin' },
    { ...sameOrigin, 'Sec-Fetch-Site': 'cross-site' },
    { ...sameOrigin, 'Sec-Fetch-Site': 'same-site' },
    { 'X-Vantage-Console': '1', Origin: 'https://evil.example' },
  ];
  for (const headers of foreign)
    for (const path of ['/session/token', '/session/end'])
      t.equal((await post(path, { ...headers, cookie })).status, 403);
  t.equal((await post('/session/token', { ...sameOrigin, cookie })).status, 200, 'none of them ended it');
  t.equal(
    (await post('/session/token', { 'X-Vantage-Console': '1', Origin: api.url, cookie })).status,
    200,
    'plain http has no fetch metadata',
  );
});

t.test('signing out ends the session and its tokens, and a cookie that is worth nothing is taken away', async (t) => {
  const { email, cookie } = await signedUp();
  const token = await tokenOf(cookie);
  const out = await post('/session/end', { ...sameOrigin, cookie });
  t.equal(out.headers.get('clear-site-data'), '"storage"');
  t.match(out.headers.get('set-cookie'), /vantage_session=; Max-Age=0/);
  t.equal(
    (await fetch(`${api.url}/v1/account/profile`, { headers: { Authorization: `Bearer ${token}` } })).status,
    401,
  );
  const after = await post('/session/token', { ...sameOrigin, cookie });
  t.match([after.status, after.headers.get('set-cookie')], [401, /Max-Age=0/]);
  t.match(await after.json(), { error: { code: 'AUTH_SESSION_INVALID' } });
  const other = await signedUp();
  await database.db('users').where({ email: other.email }).update({ disabled_at: new Date() });
  const disabled = await post('/session/token', { ...sameOrigin, cookie: other.cookie });
  t.match([disabled.status, await disabled.json()], [403, { error: { code: 'AUTH_ACCOUNT_DISABLED' } }]);
  t.equal(
    (await database.db('sessions').where({ revoke_reason: 'logout' }).first<{ kind: string }>()).kind,
    'browser',
    email,
  );
});

t.test('a program that uses up the plan keeps no person from acting in the browser', async (t) => {
  const { cookie } = await signedUp();
  const token = await tokenOf(cookie);
  const response = await fetch(`${api.url}/v1/account/profile`, { headers: { Authorization: `Bearer ${token}` } });
  t.equal(response.headers.get('x-ratelimit-limit'), '300');
});
