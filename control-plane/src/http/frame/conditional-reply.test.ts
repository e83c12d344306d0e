import t from 'tap';
import { aRoute } from '../../../test/_support/http-routes.js';
import { startTestServer } from '../../../test/_support/http-server.js';
import type { AnyRoute } from '../route.js';

const pagination = { page: 1, page_size: 20, total: 1, has_more: false };

/** A list that shows `shown.items`, as it is now. */
function listRoute(shown: { items: string[] }, overrides: Partial<AnyRoute> = {}): AnyRoute {
  return aRoute('/v1/list', {
    isConditional: true,
    handle: async () => ({ status: 200, data: { items: shown.items }, pagination }),
    ...overrides,
  });
}

t.test('a list that may be cached has a weak ETag of its data, and 304 for callers that have them', async (t) => {
  const shown = { items: ['a'] };
  const { url } = await startTestServer(t, [listRoute(shown)]);
  const ask = (headers: Record<string, string> = {}, method = 'GET') => fetch(`${url}/v1/list`, { method, headers });
  const first = await ask();
  const etag = first.headers.get('etag') ?? '';
  t.match(etag, /^W\/"[\w-]{27}"$/);
  t.equal(first.headers.get('cache-control'), 'no-cache');
  t.equal((await ask()).headers.get('etag'), etag, 'whatever the request id and the time it took');
  for (const known of [etag, etag.slice(2), `"other", ${etag}`, `"other",${etag} `, `"other"\t,\t${etag}`, '*']) {
    const again = await ask({ 'If-None-Match': known });
    t.equal(again.status, 304, known);
    t.equal(await again.text(), '');
    t.equal(again.headers.get('etag'), etag);
    t.equal(again.headers.get('cache-control'), 'no-cache');
    t.equal(again.headers.get('content-type'), null);
    t.match(again.headers.get('x-request-id'), /^req_/);
  }
  t.equal((await ask({ 'If-None-Match': etag }, 'HEAD')).status, 304);
  t.equal((await ask({ 'If-None-Match': etag, 'Cache-Control': 'no-cache' })).status, 304, 'RFC 9110 section 13.1.2');
  for (const other of ['"other"', '', 'W/', etag.slice(0, -2), `${etag}x`]) {
    t.equal((await ask({ 'If-None-Match': other })).status, 200, other);
  }
  shown.items = ['a', 'b'];
  const changed = await ask({ 'If-None-Match': etag });
  t.equal(changed.status, 200);
  t.not(changed.headers.get('etag'), etag);
});

t.test('another page of the same items is another answer', async (t) => {
  let total = 1;
  const handle = async () => ({ status: 200, data: null, pagination: { ...pagination, total } });
  const { url } = await startTestServer(t, [listRoute({ items: [] }, { handle })]);
  const etagNow = async () => (await fetch(`${url}/v1/list`)).headers.get('etag');
  const before = await etagNow();
  total = 2;
  t.not(await etagNow(), before);
});

t.test('data of an account is cached only privately', async (t) => {
  const { url } = await startTestServer(t, [listRoute({ items: [] })]);
  const headers = { Authorization: 'Bearer reader' };
  t.equal((await fetch(`${url}/v1/list`, { headers })).headers.get('cache-control'), 'private, no-cache');
});

t.test('other routes have no ETag, and If-None-Match changes nothing for them', async (t) => {
  const { url } = await startTestServer(t, [aRoute('/v1/plain', {})]);
  const response = await fetch(`${url}/v1/plain`, { headers: { 'If-None-Match': '*' } });
  t.equal(response.status, 200);
  t.equal(response.headers.get('etag'), null);
  t.equal(response.headers.get('cache-control'), 'no-store');
});

t.test('only a success that reads is answered by 304', async (t) => {
  const tagged = { ETag: '"v1"' };
  const { url } = await startTestServer(t, [
    aRoute('/v1/made', {
      method: 'POST',
      replies: { 200: {} },
      handle: async () => ({ status: 200, data: 'made', headers: tagged }),
    }),
    aRoute('/v1/later', { replies: { 202: {} }, handle: async () => ({ status: 202, data: null, headers: tagged }) }),
  ]);
  const known = { 'If-None-Match': '"v1"' };
  t.equal((await fetch(`${url}/v1/made`, { method: 'POST', headers: known })).status, 200);
  t.equal((await fetch(`${url}/v1/later`, { headers: known })).status, 202);
});
