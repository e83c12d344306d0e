import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { aRoute, thingRoutes } from '../../../test/_support/http-routes.js';
import { startTestServer } from '../../../test/_support/http-server.js';
import { rawPost, sendRaw } from '../../../test/_support/raw-http.js';
import { ApiError } from '../errors.js';
import type { AnyRoute } from '../route.js';

const json = { 'Content-Type': 'application/json' };
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

t.test('a success is data, request_id and meta with both of them repeated', async (t) => {
  const { url } = await startTestServer(t, thingRoutes());
  const response = await fetch(`${url}/v1/things/t_a?page=2`, { headers: { 'X-Request-Id': 'my-request.1' } });
  const { meta, ...rest } = (await response.json()) as { meta: { took_ms: number } };
  t.equal(response.status, 200);
  t.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
  t.strictSame(rest, { data: { name: 't_a', count: 2 }, request_id: 'my-request.1' });
  t.strictSame(Object.keys(meta), ['request_id', 'took_ms', 'rate_limit']);
  t.ok(Number.isInteger(meta.took_ms));
});

t.test('absent data is null, a page is in meta', async (t) => {
  const pagination = { page: 1, page_size: 20, total: 0, has_more: false };
  const route = aRoute('/v1/none', { handle: async () => ({ status: 200, data: undefined, pagination }) });
  const { url } = await startTestServer(t, [route]);
  const body = await (await fetch(`${url}/v1/none`)).json();
  t.match(body, { data: null, meta: { pagination } });
});

t.test('an error is the error envelope with a link to its explanation', async (t) => {
  const { url } = await startTestServer(t, thingRoutes());
  const response = await fetch(`${url}/v1/nothing`, { headers: { 'X-Request-Id': 'my-request.2' } });
  t.equal(response.status, 404);
  t.strictSame(await response.json(), {
    error: {
      code: 'NOT_FOUND',
      message: 'No resource exists under this path, id or method.',
      request_id: 'my-request.2',
      doc_url: 'https://vantage.example/docs/errors/NOT_FOUND',
    },
    request_id: 'my-request.2',
  });
});

t.test('JSON ends its last line, so that a prompt stands below it', async (t) => {
  const { url } = await startTestServer(t, thingRoutes());
  for (const path of ['/v1/things/t_a', '/v1/nothing'])
    t.match(await (await fetch(`${url}${path}`)).text(), /^\{.*\}\n$/, path);
});

t.test('messages are in the requested language, which the headers name', async (t) => {
  const { url } = await startTestServer(t, thingRoutes());
  const ask = async (language: string) => {
    const response = await fetch(`${url}/v1/nothing`, { headers: { 'Accept-Language': language } });
    const { error } = (await response.json()) as { error: { message: string } };
    return [response.headers.get('content-language'), response.headers.get('vary'), error.message];
  };
  t.strictSame(await ask('zh-HK,en;q=0.5'), ['zh-TW', 'Accept-Language', '此路徑、ID 或方法下沒有資源。']);
  t.strictSame(await ask('zh-SG'), ['zh-CN', 'Accept-Language', '该路径、ID 或方法下没有资源。']);
  t.strictSame((await ask('fr'))[0], 'en');
  const data = await fetch(`${url}/v1/things/t_a`, { headers: { 'Accept-Language': 'zh' } });
  t.equal(data.headers.get('content-language'), null, 'data has no language');
});

t.test('details are in the requested language, with the fields and codes of every language', async (t) => {
  const { url } = await startTestServer(t, thingRoutes());
  const details = async (path: string, language: string, init: RequestInit) => {
    const response = await fetch(`${url}${path}`, { ...init, headers: { ...json, 'Accept-Language': language } });
    return ((await response.json()) as { error: { details: unknown } }).error.details;
  };
  const nameless = { method: 'POST', body: '{}' };
  const required = (message: string) => ({ name: [{ code: 'required', message }] });
  t.strictSame(await details('/v1/things', 'zh-CN', nameless), required('必填'));
  t.strictSame(await details('/v1/things', 'en', nameless), required('is required'));
  t.strictSame(await details('/v1/things/t_a', 'zh-TW', { method: 'PUT' }), {
    method: [{ code: 'not_supported', message: '必須是下列之一：GET, HEAD, OPTIONS' }],
  });
});

t.test('a request id of the right form is kept, any other is replaced by a fresh one', async (t) => {
  const { url } = await startTestServer(t, thingRoutes());
  const idFor = async (given: string) => {
    const response = await fetch(`${url}/v1/things/t_a`, { headers: { 'X-Request-Id': given } });
    const { request_id } = (await response.json()) as { request_id: string };
    t.equal(response.headers.get('x-request-id'), request_id);
    return request_id;
  };
  for (const good of ['12345678', 'A.b_c-d9', 'x'.repeat(128)]) t.equal(await idFor(good), good);
  for (const bad of ['1234567', 'x'.repeat(129), 'has space', 'quote"quote', 'ünïcödé!']) {
    t.match(await idFor(bad), /^req_[1-9A-HJ-NP-Za-km-z]{22}$/, bad);
  }
  t.not(await idFor(''), await idFor(''), 'fresh ones differ');
});

t.test(
  'a wrong method is 405 with Allow and the code NOT_FOUND, before credentials and body are looked at',
  async (t) => {
    const { url } = await startTestServer(t, thingRoutes());
    const response = await fetch(`${url}/v1/own-things`, { method: 'PUT', body: '{', headers: json });
    t.equal(response.status, 405);
    t.equal(response.headers.get('allow'), 'POST, OPTIONS');
    t.match(await response.json(), { error: { code: 'NOT_FOUND' } });
  },
);

t.test('HEAD answers as GET does, without the body', async (t) => {
  const { url } = await startTestServer(t, thingRoutes(), { clock: new FakeClock() });
  const get = await fetch(`${url}/v1/things/t_a`, { headers: { 'X-Request-Id': 'same-length' } });
  const head = await fetch(`${url}/v1/things/t_a`, { method: 'HEAD', headers: { 'X-Request-Id': 'same-length' } });
  t.equal(head.status, 200);
  t.equal(head.headers.get('content-length'), String(Buffer.byteLength(await get.text())));
  t.equal(await head.text(), '');
  t.equal((await fetch(`${url}/v1/things/bad`, { method: 'HEAD' })).status, 400);
  t.equal((await fetch(`${url}/v1/things`, { method: 'HEAD' })).status, 405);
});

t.test('OPTIONS is 204 with Allow on every path there is, and 404 elsewhere', async (t) => {
  const { url } = await startTestServer(t, thingRoutes());
  const options = (path: string) => fetch(url + path, { method: 'OPTIONS' });
  const open = await options('/v1/things/t_a');
  t.equal(open.status, 204);
  t.equal(open.headers.get('allow'), 'GET, HEAD, OPTIONS');
  t.equal(open.headers.get('access-control-allow-methods'), 'GET, HEAD');
  const closed = await options('/v1/own-things');
  t.equal(closed.headers.get('allow'), 'POST, OPTIONS');
  t.equal(closed.headers.get('access-control-allow-origin'), null);
  t.equal((await options('/v1/nothing')).status, 404);
});

t.test('other origins may read public GETs that carry no credentials, and nothing else', async (t) => {
  const { url } = await startTestServer(t, thingRoutes());
  const origin = async (path: string, init?: RequestInit) =>
    (await fetch(url + path, init)).headers.get('access-control-allow-origin');
  t.equal(await origin('/v1/things/t_a'), '*');
  t.equal(await origin('/v1/things/bad'), '*', 'errors too');
  t.equal(await origin('/v1/things/t_a', { headers: bearer('reader') }), null);
  t.equal(await origin('/v1/things', { method: 'POST', body: '{"name":"x"}', headers: json }), null);
});

t.test('every response forbids sniffing, framing, referrers and caching', async (t) => {
  const { url } = await startTestServer(t, thingRoutes());
  for (const path of ['/v1/things/t_a', '/v1/things/bad', '/nothing']) {
    const { headers } = await fetch(url + path);
    t.equal(headers.get('x-content-type-options'), 'nosniff', path);
    t.equal(headers.get('x-frame-options'), 'DENY', path);
    t.equal(headers.get('referrer-policy'), 'no-referrer', path);
    t.equal(headers.get('cache-control'), 'no-store', path);
  }
});

t.test('headers of a reply take the place of the frame’s own, whatever their case', async (t) => {
  const headers = { 'cache-control': 'max-age=60', 'X-Extra': 'yes' };
  const route = aRoute('/v1/cached', { handle: async () => ({ status: 200, data: 1, headers }) });
  const { url } = await startTestServer(t, [route]);
  const response = await fetch(`${url}/v1/cached`);
  t.equal(response.headers.get('cache-control'), 'max-age=60');
  t.equal(response.headers.get('x-extra'), 'yes');
});

t.test('credentials are asked for, checked, and held against scope and role', async (t) => {
  const { url } = await startTestServer(t, thingRoutes());
  const post = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(url + path, {
      method: 'POST',
      body: '{"name":"x"}',
      headers: { ...json, ...headers },
    });
    const body = (await response.json()) as { error?: { code: string } };
    if (response.status === 401) t.equal(response.headers.get('www-authenticate'), 'Bearer');
    return `${response.status} ${body.error?.code ?? 'created'}`;
  };
  t.equal(await post('/v1/own-things', {}), '401 AUTH_REQUIRED');
  t.equal(await post('/v1/own-things', { 'X-API-Key': 'prober' }), '401 AUTH_REQUIRED');
  t.equal(await post('/v1/own-things', { Authorization: 'Basic cHJvYmVy' }), '401 AUTH_INVALID_TOKEN');
  t.equal(await post('/v1/own-things', { Authorization: 'Bearer' }), '401 AUTH_INVALID_TOKEN');
  t.equal(await post('/v1/own-things', { Authorization: 'Bearer two tokens' }), '401 AUTH_INVALID_TOKEN');
  t.equal(await post('/v1/own-things', bearer('nobody')), '401 AUTH_INVALID_TOKEN');
  t.equal(await post('/v1/own-things', bearer('expired')), '401 TOKEN_EXPIRED');
  t.equal(await post('/v1/own-things', bearer('reader')), '403 FORBIDDEN');
  t.equal(await post('/v1/own-things', bearer('prober')), '201 created');
  t.equal(await post('/v1/own-things', { Authorization: 'bearer  prober' }), '201 created');
  t.equal(await post('/v1/admin-things', bearer('prober')), '403 FORBIDDEN');
  t.equal(await post('/v1/admin-things', bearer('admin')), '201 created');
  t.equal(await post('/v1/things', {}), '201 created');
  t.equal(
    await post('/v1/things', bearer('nobody')),
    '401 AUTH_INVALID_TOKEN',
    'public, but what is sent must be valid',
  );
  t.equal(await post('/v1/things', bearer('reader')), '201 created');
});

t.test('a public operation with a scope wants it of those who show credentials', async (t) => {
  const { url } = await startTestServer(t, [aRoute('/v1/open', { auth: { kind: 'public', scope: 'probe' } })]);
  t.equal((await fetch(`${url}/v1/open`)).status, 200);
  t.equal((await fetch(`${url}/v1/open`, { headers: bearer('reader') })).status, 403);
  t.equal((await fetch(`${url}/v1/open`, { headers: bearer('prober') })).status, 200);
});

t.test('refusals come in order: path, size, credentials, permission, input', async (t) => {
  const handled: never[] = [];
  const { port } = await startTestServer(t, thingRoutes(handled));
  const tooLarge = JSON.stringify({ name: 'x'.repeat(33_000) });
  const send = async (path: string, body: string, token?: string) => {
    const credentials = token === undefined ? [] : [`Authorization: Bearer ${token}`];
    const answer = await sendRaw(port, rawPost(path, body, ...credentials));
    return `${answer.status} ${JSON.parse(answer.body).error.code}`;
  };
  t.equal(await send('/v1/nothing', tooLarge), '404 NOT_FOUND');
  t.equal(await send('/v1/own-things', tooLarge), '413 REQUEST_BODY_INVALID');
  t.equal(await send('/v1/own-things', '{'), '401 AUTH_REQUIRED');
  t.equal(await send('/v1/own-things', '{', 'reader'), '403 FORBIDDEN');
  t.equal(await send('/v1/own-things', '{', 'prober'), '400 REQUEST_BODY_INVALID');
  t.equal(await send('/v1/own-things', '{}', 'prober'), '400 VALIDATION_FAILED');
  t.strictSame(handled, []);
});

t.test('parameters are decoded and converted, defaults filled in, unknown ones ignored', async (t) => {
  const handled: { input: unknown }[] = [];
  const { url } = await startTestServer(t, thingRoutes(handled as never[]));
  await fetch(`${url}/v1/things/t_%61b?wait=5&tags=x&tags=y&unknown=1&__proto__=1`);
  await fetch(`${url}/v1/things/t_b?tags=x`);
  t.strictSame(
    handled.map(({ input }) => input),
    [
      { params: { id: 't_ab' }, query: { wait: 5, page: 1, tags: ['x', 'y'] } },
      { params: { id: 't_b' }, query: { page: 1, tags: ['x'] } },
    ],
  );
});

t.test('bad parameters are 400 with every field that is wrong, and never reach the handler', async (t) => {
  const handled: never[] = [];
  const { url } = await startTestServer(t, thingRoutes(handled));
  const fieldsOf = async (target: string) => {
    const response = await fetch(url + target);
    const { error } = (await response.json()) as { error: { code: string; details: Record<string, unknown> } };
    t.equal(`${response.status} ${error.code}`, '400 VALIDATION_FAILED', target);
    return Object.keys(error.details).toSorted();
  };
  t.strictSame(await fieldsOf('/v1/things/BAD?wait=31&page=x'), ['id', 'page', 'wait']);
  t.strictSame(await fieldsOf('/v1/things/t_a?wait='), ['wait']);
  t.strictSame(await fieldsOf('/v1/things/t_a?wait=1&wait=2'), ['wait'], 'given twice');
  t.strictSame(await fieldsOf('/v1/things/t_a?tags=1&tags=2&tags=3&tags=4'), ['tags']);
  t.strictSame(await fieldsOf('/v1/things/t_a?tags=%00'), ['tags'], 'NUL');
  t.strictSame(await fieldsOf('/v1/things/%00'), ['id'], 'NUL');
  for (const path of ['%', '%zz', '%ff', '%ed%a0%80', 't_a%2fb'])
    t.strictSame(await fieldsOf(`/v1/things/${path}`), ['id'], path);
  t.strictSame(handled, []);
});

t.test('an ApiError of the handler is answered with its details and headers', async (t) => {
  const details = { target: [{ code: 'refused' as const, message: 'is wrong' }] };
  const allowance = { limit: 30, remaining: 2, resetsAt: Date.UTC(2026, 0, 1), isAllowed: false };
  const route = aRoute('/v1/refused', {
    errors: ['RATE_LIMIT_EXCEEDED', 'PROBE_TARGET_INVALID'],
    handle: async (request) => {
      if (request.header('x-limited') !== null)
        throw new ApiError('RATE_LIMIT_EXCEEDED', { allowance, retryAfterSeconds: 7, headers: { 'X-Extra': 'yes' } });
      throw new ApiError('PROBE_TARGET_INVALID', { details });
    },
  });
  const { url } = await startTestServer(t, [route]);
  const refused = await fetch(`${url}/v1/refused`);
  t.equal(refused.status, 422);
  t.match(await refused.json(), { error: { code: 'PROBE_TARGET_INVALID', details } });
  const limited = await fetch(`${url}/v1/refused`, { headers: { 'X-Limited': 'yes' } });
  t.equal(limited.status, 429);
  t.equal(limited.headers.get('retry-after'), '7');
  t.equal(limited.headers.get('x-extra'), 'yes');
  const shown = ['limit', 'remaining', 'reset'].map((name) => limited.headers.get(`x-ratelimit-${name}`));
  t.strictSame(shown, ['30', '2', '2026-01-01T00:00:00.000Z'], 'and the limit that was reached');
});

t.test('an unexpected failure is a 500 without details, logged once with its stack', async (t) => {
  const failing = aRoute('/v1/failing', { handle: () => Promise.reject(new TypeError('secret of the house')) });
  const { url, log } = await startTestServer(t, [failing]);
  const response = await fetch(`${url}/v1/failing`, { headers: { 'X-Request-Id': 'failing-1' } });
  const body = await response.text();
  t.equal(response.status, 500);
  t.match(JSON.parse(body), { error: { code: 'INTERNAL_ERROR' } });
  t.notMatch(body, /secret|details|TypeError/);
  const failures = log.filter(({ level }) => level === 'error');
  t.equal(failures.length, 1);
  t.match(failures[0], { request_id: 'failing-1', err: { type: 'TypeError', stack: /app\.test/ } });
});

t.test('a database that does not respond is a 503 with Retry-After, logged as a warning', async (t) => {
  const lost = Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' });
  const { url, log } = await startTestServer(t, [aRoute('/v1/lost', { handle: () => Promise.reject(lost) })]);
  const response = await fetch(`${url}/v1/lost`);
  t.equal(response.status, 503);
  t.equal(response.headers.get('retry-after'), '5');
  t.match(await response.json(), { error: { code: 'UNAVAILABLE' } });
  t.match(
    log.find(({ level }) => level === 'warn'),
    { code: 'UNAVAILABLE', err: { code: '57P01' } },
  );
});

t.test('a request leaves one line without query, token or body; health leaves it at debug', async (t) => {
  const health = aRoute('/healthz', { auth: { kind: 'none' } });
  const { url, log } = await startTestServer(t, [...thingRoutes(), health]);
  await fetch(`${url}/v1/own-things?token=hush-query`, {
    method: 'POST',
    body: '{"name":"hush-body"}',
    headers: { ...json, ...bearer('prober'), 'X-Request-Id': 'logged-1' },
  });
  await fetch(`${url}/healthz`);
  const [line, healthLine] = log;
  t.match(line, {
    level: 'info',
    request_id: 'logged-1',
    operation_id: 'createOwnThing',
    method: 'POST',
    status: 201,
    ms: Number,
    address: '127.0.0.1',
    credential_id: 'pat_prober',
  });
  t.match(healthLine, { level: 'debug', operation_id: 'get_healthz', status: 200 });
  t.notMatch(JSON.stringify(log), /hush|Bearer|"prober"/);
});

t.test('every line a handler logs carries the request id', async (t) => {
  const route = aRoute('/v1/logging', {
    handle: async ({ log }) => {
      log.info({ nodes: 3 }, 'chosen');
      return { status: 200, data: null };
    },
  });
  const { url, log } = await startTestServer(t, [route]);
  await fetch(`${url}/v1/logging`, { headers: { 'X-Request-Id': 'logging-1' } });
  t.match(
    log.find(({ msg }) => msg === 'chosen'),
    { request_id: 'logging-1', nodes: 3 },
  );
});

t.test('the address is the caller’s behind trusted proxies, the connection’s otherwise', async (t) => {
  const route: AnyRoute = aRoute('/v1/address', { handle: async ({ address }) => ({ status: 200, data: address }) });
  const open = await startTestServer(t, [route]);
  const proxied = await startTestServer(t, [route], { trustedProxies: ['127.0.0.0/8'] });
  const addressAt = async (url: string) => {
    const response = await fetch(`${url}/v1/address`, { headers: { 'X-Forwarded-For': '1.2.3.4, 198.51.100.7' } });
    return ((await response.json()) as { data: string }).data;
  };
  t.equal(await addressAt(open.url), '127.0.0.1');
  t.equal(await addressAt(proxied.url), '198.51.100.7');
});

t.test(
  'the signal of a handler is aborted when its caller leaves, and nothing is answered or logged as failure',
  async (t) => {
    const entered = deferred();
    const left = deferred();
    const route = aRoute('/v1/waiting', {
      handle: ({ signal }) => {
        entered.resolve();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            left.resolve();
            reject(signal.reason);
          });
        });
      },
    });
    const { url, log } = await startTestServer(t, [route]);
    const abort = new AbortController();
    const request = fetch(`${url}/v1/waiting`, { signal: abort.signal });
    await entered.promise;
    abort.abort();
    await t.rejects(request);
    await left.promise;
    await new Promise(setImmediate);
    t.match(log.at(-1), { operation_id: 'get_v1_waiting', status: 499, level: 'info' });
    t.strictSame(
      log.filter(({ level }) => level === 'error'),
      [],
    );
  },
);

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
