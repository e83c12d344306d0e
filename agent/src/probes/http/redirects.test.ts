import type { ServerResponse } from 'node:http';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { startDnsServer, zone } from '../../../test/_support/dns-server.js';
import { type SeenRequest, startHttpServer } from '../../../test/_support/http-server.js';
import { aContext, aPolicy, aResolver, aSpec, testUserAgent } from '../../../test/_support/probe-context.js';
import { startTcpServer } from '../../../test/_support/tcp-server.js';
import { http } from './index.js';

const isResult = compileSchema(probeTypes.http.Result);

/** `/302/next` answers 302 with `Location: next`; anything else is the end. */
function redirecting({ path }: SeenRequest, response: ServerResponse): void {
  const [, status, location] = /^\/(3\d\d)\/(.*)$/.exec(path) ?? [];
  if (status === undefined) return void response.end('arrived');
  response.writeHead(Number(status), { Location: decodeURIComponent(location ?? '') });
  response.end('ignored');
}

const to = (status: number, location: string) => `/${status}/${encodeURIComponent(location)}`;

t.test('http follows redirects, relative ones too, and lists each hop', async (t) => {
  const server = await startHttpServer(t, redirecting);
  const base = `http://127.0.0.1:${server.port}`;
  const first = `${base}${to(301, to(307, '/end?x=1#part'))}`;
  const result = await http.run(aSpec('http', first), aContext());
  t.match(result, { success: true, status_code: 200, final_url: `${base}/end?x=1`, body: 'arrived' });
  t.notMatch(result.final_url, '#', 'without the fragment');
  t.strictSame(
    result.redirects.map(({ url, status_code }) => ({ url, status_code })),
    [
      { url: first, status_code: 301 },
      { url: `${base}${to(307, '/end?x=1#part')}`, status_code: 307 },
    ],
  );
  t.ok(result.redirects.every(({ ms }) => ms > 0));
  t.ok(isResult(result).ok);
  t.equal(new Set(server.requests.map(({ remotePort }) => remotePort)).size, 3, 'each hop has a connection of its own');
});

t.test('http stops at the redirect if redirects are not to be followed', async (t) => {
  const server = await startHttpServer(t, redirecting);
  const url = `http://127.0.0.1:${server.port}${to(302, '/end')}`;
  const result = await http.run(aSpec('http', url, { follow_redirects: false }), aContext());
  t.match(result, { success: true, status_code: 302, final_url: url, redirects: [], body: 'ignored' });
});

t.test('http follows at most max_redirects', async (t) => {
  const server = await startHttpServer(t, (_request, response) =>
    response.writeHead(302, { Location: '/again' }).end(),
  );
  const url = `http://127.0.0.1:${server.port}/`;
  for (const max of [0, 2, 5]) {
    const { requests } = server;
    const before = requests.length;
    const result = await http.run(aSpec('http', url, { max_redirects: max }), aContext());
    t.match(result, { success: false, error: { code: 'too_many_redirects' }, status_code: 302 }, String(max));
    t.equal(result.redirects.length, max);
    t.equal(requests.length - before, max + 1);
    t.ok(isResult(result).ok);
  }
});

t.test('http turns methods as browsers do', async (t) => {
  const server = await startHttpServer(t, redirecting);
  const cases = [
    { status: 301, method: 'POST', becomes: 'GET' },
    { status: 302, method: 'POST', becomes: 'GET' },
    { status: 303, method: 'PUT', becomes: 'GET' },
    { status: 303, method: 'HEAD', becomes: 'HEAD' },
    { status: 302, method: 'PUT', becomes: 'PUT' },
    { status: 307, method: 'POST', becomes: 'POST' },
    { status: 308, method: 'PATCH', becomes: 'PATCH' },
  ] as const;
  for (const { status, method, becomes } of cases) {
    const url = `http://127.0.0.1:${server.port}${to(status, '/end')}`;
    const body = method === 'HEAD' ? {} : { body: 'payload' };
    const headers = { 'Content-Type': 'text/x', 'X-Custom': 'stays' };
    await http.run(aSpec('http', url, { method, headers, ...body }), aContext());
    const last = server.requests.at(-1);
    const keepsBody = becomes === method && method !== 'HEAD';
    t.match(
      last,
      { method: becomes, body: keepsBody ? 'payload' : '', headers: { 'x-custom': 'stays' } },
      `${status} ${method}`,
    );
    t.equal(
      last?.headers['content-type'],
      keepsBody || method === 'HEAD' ? 'text/x' : undefined,
      `${status} ${method}`,
    );
  }
});

t.test('http takes none of the caller’s headers to another origin', async (t) => {
  const other = await startHttpServer(t, redirecting);
  const server = await startHttpServer(t, redirecting);
  const back = `http://127.0.0.1:${server.port}/end`;
  const url = `http://127.0.0.1:${server.port}${to(302, `http://127.0.0.1:${other.port}${to(302, back)}`)}`;
  const headers = { Authorization: 'Bearer x', Cookie: 'a=b', 'X-Key': 'k', 'User-Agent': 'mine' };
  const result = await http.run(aSpec('http', url, { headers }), aContext());
  t.match(result, { success: true, final_url: back });
  t.match(
    server.requests[0]?.headers,
    { authorization: 'Bearer x', cookie: 'a=b', 'x-key': 'k' },
    'the first origin gets them',
  );
  for (const seen of [other.requests[0]?.headers, server.requests[1]?.headers]) {
    t.strictSame([seen?.authorization, seen?.cookie, seen?.['x-key']], [undefined, undefined, undefined]);
    t.equal(seen?.['user-agent'], testUserAgent);
  }
});

t.test('http checks every hop against the policy', async (t) => {
  const trap = await startTcpServer(t, () => {}, '127.0.0.1');
  const dns = await startDnsServer(
    t,
    zone([
      { type: 'A', name: 'inside.example.com', data: '127.0.0.1' },
      { type: 'A', name: 'site.example.com', data: '127.0.1.1' },
    ]),
  );
  const server = await startHttpServer(t, redirecting, '127.0.1.1');
  const context = aContext({ policy: aPolicy(['127.0.1.0/24']), resolver: aResolver([dns.endpoint]) });
  const refused = [
    'http://127.0.0.1/',
    `http://127.0.0.1:${trap.port}/`,
    `http://inside.example.com:${trap.port}/`,
    `http://2130706433:${trap.port}/`,
    `http://127.1:${trap.port}/`,
    `http://[::ffff:7f00:1]:${trap.port}/`,
    `//127.0.0.1:${trap.port}/`,
    `\\\\127.0.0.1:${trap.port}\\`,
    'file:///etc/passwd',
    'gopher://example.com/',
    'http://127.0.1.1:5432/',
    'http://127.0.1.1:6379/',
    'http://user:secret@127.0.1.1/',
    'http://localhost/',
  ];
  for (const location of refused) {
    const url = `http://site.example.com:${server.port}${to(302, location)}`;
    const result = await http.run(aSpec('http', url), context);
    t.match(
      result,
      { success: false, error: { code: 'target_not_allowed' }, redirects: [{ status_code: 302 }] },
      location,
    );
    t.notMatch(JSON.stringify(result.error), 'secret');
    t.ok(isResult(result).ok, location);
  }
  t.equal(trap.accepted, 0, 'no connection was made');
  const allowed = await http.run(aSpec('http', `http://site.example.com:${server.port}${to(302, '/end')}`), context);
  t.match(allowed, { success: true, body: 'arrived' });
});

t.test('http takes a redirect without or with a broken Location for what it is', async (t) => {
  const server = await startHttpServer(t, ({ path }, response) => {
    if (path === '/broken') response.setHeader('Location', 'http://[');
    // a byte each, three characters in a URL
    if (path === '/long') response.setHeader('Location', `/${'\u00ff'.repeat(3000)}`);
    response.writeHead(302).end('here');
  });
  const base = `http://127.0.0.1:${server.port}`;
  t.match(await http.run(aSpec('http', `${base}/none`), aContext()), { success: true, status_code: 302, body: 'here' });
  t.match(await http.run(aSpec('http', `${base}/broken`), aContext()), {
    success: false,
    error: { code: 'http_protocol' },
  });
  t.match(await http.run(aSpec('http', `${base}/long`), aContext()), {
    success: false,
    status_code: 302,
    error: { code: 'http_protocol', message: /more than 8192 characters/ },
  });
});

/** Responds to a path with these lines in front of its body, and to any other with 200. */
async function startSite(t: Test, heads: Readonly<Record<string, readonly string[]>>, host?: string) {
  const paths: string[] = [];
  const server = await startTcpServer(
    t,
    (socket) =>
      socket.once('data', (bytes) => {
        const [, path = ''] = bytes.toString('latin1').split(' ');
        paths.push(path);
        const lines = heads[path] ?? ['HTTP/1.1 200 OK'];
        socket.end(Buffer.from([...lines, 'Content-Length: 2', '', 'ok'].join('\r\n'), 'latin1'));
      }),
    host,
  );
  return { port: server.port, paths };
}

const found = (...locations: string[]) => ['HTTP/1.1 302 Found', ...locations.map((value) => `Location: ${value}`)];

t.test(
  'a Location that is empty is no redirect, equal ones are one, and of two that differ none is followed',
  async (t) => {
    const { port, paths } = await startSite(t, {
      '/empty': found(''),
      '/blank': found(' \t '),
      '/twice': found('/end', '/end', ''),
      '/two': found('/end', '/other'),
    });
    const run = (path: string) => http.run(aSpec('http', `http://127.0.0.1:${port}${path}`), aContext());
    for (const path of ['/empty', '/blank'])
      t.match(await run(path), { success: true, status_code: 302, redirects: [], body: 'ok' }, path);
    t.match(await run('/twice'), { success: true, status_code: 200, headers: {}, redirects: { length: 1 } });
    const failed = await run('/two');
    t.match(failed, { success: false, status_code: 302, error: { code: 'http_protocol', message: /two different/ } });
    t.equal(failed.headers['location'], '/end');
    const unfollowed = aSpec('http', `http://127.0.0.1:${port}/two`, { follow_redirects: false });
    t.match(await http.run(unfollowed, aContext()), { success: true, status_code: 302 });
    t.notOk(paths.includes('/other'));
  },
);

t.test('bytes of a Location are requested as they came', async (t) => {
  const name = 'xn--bcher-kva.example.com';
  const dns = await startDnsServer(t, zone([{ type: 'A', name, data: '127.0.0.1' }]));
  const { port, paths } = await startSite(t, {
    '/utf-8': found('/\xec\x95\x88\xeb\x85\x95'),
    '/no-break': found('/voil\xc3\xa0'),
    '/latin-1': found('/caf\xe9?q=\xe9'),
    '/encoded': found('/caf%e9'),
  });
  const host = await startSite(t, { '/name': found(`http://b\xc3\xbccher.example.com:${port}/`) });
  const context = aContext({ resolver: aResolver([dns.endpoint]) });
  for (const path of ['/utf-8', '/no-break', '/latin-1', '/encoded'])
    t.match(await http.run(aSpec('http', `http://127.0.0.1:${port}${path}`), context), { status_code: 200 }, path);
  t.strictSame(
    paths.filter((_, i) => i % 2 === 1),
    ['/%EC%95%88%EB%85%95', '/voil%C3%A0', '/caf%E9?q=%E9', '/caf%e9'],
  );
  const named = await http.run(aSpec('http', `http://127.0.0.1:${host.port}/name`), context);
  t.match(named, { success: true, final_url: `http://${name}:${port}/` });
});

t.test('cookies that a redirect sets go back to its host with the caller’s own, and to no other', async (t) => {
  const other = await startHttpServer(t, redirecting, '127.0.0.2');
  const server = await startHttpServer(t, ({ path, headers }, response) => {
    if (path === '/away') {
      const location = `http://127.0.0.2:${other.port}/end`;
      return response.writeHead(302, { 'set-cookie': 'seen=1; Path=/', location }).end();
    }
    if (headers.cookie?.includes('seen=1')) return response.end('arrived');
    return response.writeHead(302, { 'set-cookie': ['seen=1', 'gone=1; Max-Age=0'], location: path }).end();
  });
  const base = `http://127.0.0.1:${server.port}`;
  t.match(await http.run(aSpec('http', `${base}/a`), aContext()), { success: true, body: 'arrived' });
  t.equal(server.requests.at(-1)?.headers.cookie, 'seen=1');
  await http.run(aSpec('http', `${base}/b`, { headers: { Cookie: 'own=2' } }), aContext());
  t.equal(server.requests.at(-1)?.headers.cookie, 'seen=1; own=2');
  t.match(await http.run(aSpec('http', `${base}/away`), aContext()), { success: true, body: 'arrived' });
  t.equal(other.requests[0]?.headers.cookie, undefined);
  await http.run(aSpec('http', `${base}/c`), aContext());
  t.equal(server.requests.at(-2)?.headers.cookie, undefined, 'nothing is kept from one probe to the next');
});
