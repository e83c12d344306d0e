import { until } from '@vantage/shared/_support/until.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { startDnsServer, zone } from '../../../test/_support/dns-server.js';
import { startHttpServer } from '../../../test/_support/http-server.js';
import { openSockets } from '../../../test/_support/open-resources.js';
import { aContext, aResolver, aSpec, testUserAgent } from '../../../test/_support/probe-context.js';
import { startTcpServer, unusedPort } from '../../../test/_support/tcp-server.js';
import { http } from './index.js';

const isResult = compileSchema(probeTypes.http.Result);

t.test('http reports every part of a plain response', async (t) => {
  const server = await startHttpServer(t, (_request, response) => {
    response.setHeader('Set-Cookie', ['a=1', 'b=2']);
    response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Thing': 'Value' });
    response.end('hello');
  });
  const before = openSockets();
  const url = `http://127.0.0.1:${server.port}/path?q=1`;
  const result = await http.run(aSpec('http', `${url}#part`), aContext());
  t.equal(result.final_url, url);
  t.match(result, {
    success: true,
    error: null,
    status_code: 200,
    response_size: 5,
    resolved_ip: '127.0.0.1',
    ip_version: 4,
    http_version: '1.1',
    redirects: [],
    body: 'hello',
    body_truncated: false,
    tls: null,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-thing': 'Value', 'set-cookie': 'a=1, b=2' },
  });
  const { timing, response_ms: total } = result;
  t.equal(timing.dns_ms, 0);
  t.equal(timing.tls_ms, null);
  const phases = [timing.tcp_ms, timing.ttfb_ms, timing.download_ms].map((ms) => ms ?? Number.NaN);
  t.ok(
    phases.every((ms) => ms >= 0),
    'every phase is measured',
  );
  t.ok(phases.reduce((sum, ms) => sum + ms, 0) <= (total ?? 0), 'the phases lie within the whole');
  t.ok(isResult(result).ok, 'it is of the schema');
  t.match(server.requests[0], {
    method: 'GET',
    path: '/path?q=1',
    headers: { host: `127.0.0.1:${server.port}`, connection: 'close' },
  });
  t.equal(server.requests[0]?.headers['user-agent'], testUserAgent);
  await until('the socket is closed', () => openSockets() <= before);
});

t.test('http resolves once, connects to that address and sends the name as Host', async (t) => {
  let resolutions = 0;
  const dns = await startDnsServer(t, ({ name, type }) => {
    if (type !== 'A') return { answers: [] };
    resolutions += 1;
    // the second answer would be private, as of a rebinding attack
    return { answers: [{ type: 'A', name, data: resolutions === 1 ? '127.0.0.1' : '10.0.0.1' }] };
  });
  const server = await startHttpServer(t, (_request, response) => response.end('ok'));
  const context = aContext({ resolver: aResolver([dns.endpoint]) });
  const result = await http.run(aSpec('http', `http://site.example.com:${server.port}/`), context);
  t.match(result, { success: true, resolved_ip: '127.0.0.1' });
  t.equal(server.requests[0]?.headers.host, `site.example.com:${server.port}`);
  t.equal(resolutions, 1);
});

t.test('http goes where the URL says, whatever service a server calls an alternative', async (t) => {
  const trap = await startTcpServer(t, (socket) => socket.destroy());
  const server = await startHttpServer(t, ({ path }, response) => {
    response.setHeader('Alt-Svc', `http/1.1=":${trap.port}"; ma=86400, h2=":${trap.port}"; ma=86400; persist=1`);
    if (path === '/') response.writeHead(302, { Location: '/there' });
    response.end('ok');
  });
  for (let time = 1; time <= 2; time += 1) {
    const result = await http.run(aSpec('http', `http://127.0.0.1:${server.port}/`), aContext());
    t.match(result, { success: true, headers: { 'alt-svc': /h2=/ }, redirects: [{ status_code: 302 }] });
  }
  t.equal(server.requests.length, 4);
  t.equal(trap.accepted, 0);
});

t.test('http comes back to a name without asking again: what was judged stays what is connected to', async (t) => {
  let resolutions = 0;
  const dns = await startDnsServer(t, ({ name, type }) => {
    if (type !== 'A') return { answers: [] };
    resolutions += 1;
    return { answers: [{ type: 'A', name, data: resolutions === 1 ? '127.0.0.1' : '10.0.0.1' }] };
  });
  const server = await startHttpServer(t, (request, response) => {
    if (request.path === '/') response.writeHead(302, { Location: '/there' });
    response.end('ok');
  });
  const context = aContext({ resolver: aResolver([dns.endpoint]) });
  const result = await http.run(aSpec('http', `http://site.example.com:${server.port}/`), context);
  t.match(result, { success: true, resolved_ip: '127.0.0.1', redirects: { length: 1 }, timing: { dns_ms: 0 } });
  t.equal(resolutions, 1);
});

t.test('http opens a new connection for every probe', async (t) => {
  const server = await startHttpServer(t, (_request, response) => response.end('ok'));
  const spec = aSpec('http', `http://127.0.0.1:${server.port}/`);
  await http.run(spec, aContext());
  await http.run(spec, aContext());
  t.equal(new Set(server.requests.map(({ remotePort }) => remotePort)).size, 2);
});

t.test('http sends what the caller asks for, and its own name with it', async (t) => {
  const server = await startHttpServer(t, (_request, response) => response.end());
  const headers = { 'User-Agent': 'mine/1', 'X-Custom': 'yes', 'Accept-Encoding': 'identity' };
  const url = `http://127.0.0.1:${server.port}/`;
  await http.run(aSpec('http', url, { method: 'POST', headers, body: 'grüße' }), aContext());
  t.match(server.requests[0], { method: 'POST', body: 'grüße' });
  t.match(server.requests[0]?.headers, { 'x-custom': 'yes', 'accept-encoding': 'identity', 'content-length': '7' });
  t.equal(server.requests[0]?.headers['user-agent'], `mine/1 ${testUserAgent}`);

  await http.run(aSpec('http', url, { method: 'GET', body: 'with a body' }), aContext());
  t.equal(server.requests[1]?.body, 'with a body', 'GET too');
  await http.run(aSpec('http', url, { method: 'PUT' }), aContext());
  t.equal(server.requests[2]?.headers['content-length'], '0');
});

t.test('http counts any final status as an answer', async (t) => {
  const server = await startHttpServer(t, ({ path }, response) => {
    response.writeHead(Number(path.slice(1)));
    response.end();
  });
  for (const status of [204, 304, 404, 500, 503]) {
    const result = await http.run(aSpec('http', `http://127.0.0.1:${server.port}/${status}`), aContext());
    t.match(result, { success: true, status_code: status, response_size: 0 }, String(status));
  }
  const head = await http.run(aSpec('http', `http://127.0.0.1:${server.port}/200`, { method: 'HEAD' }), aContext());
  t.match(head, { success: true, status_code: 200 });
});

t.test('http keeps 64 KiB of the body and reads 1 MiB', async (t) => {
  const server = await startHttpServer(t, ({ path }, response) => {
    response.setHeader('Content-Type', 'text/plain');
    response.end('x'.repeat(Number(path.slice(1))));
  });
  const probe = (bytes: number) => http.run(aSpec('http', `http://127.0.0.1:${server.port}/${bytes}`), aContext());
  const whole = await probe(64 * 1024);
  t.match(whole, { success: true, response_size: 65536, body_truncated: false });
  t.equal(whole.body?.length, 65536);
  const kept = await probe(65537);
  t.match(kept, { success: true, response_size: 65537, body_truncated: true });
  t.equal(kept.body?.length, 65536);
  const cut = await probe(3 * 1024 * 1024);
  t.match(cut, { success: true, status_code: 200, response_size: 1024 * 1024, body_truncated: true });
});

t.test('http names the phase that failed and keeps the measurements', async (t) => {
  const port = await unusedPort();
  const refused = await http.run(aSpec('http', `http://127.0.0.1:${port}/`), aContext());
  t.match(refused, {
    success: false,
    error: { code: 'tcp_refused' },
    resolved_ip: '127.0.0.1',
    status_code: null,
    response_ms: null,
  });
  t.match(refused.timing, { dns_ms: 0, tcp_ms: null });
  t.ok(isResult(refused).ok);

  const dns = await startDnsServer(t, zone([]));
  const unknown = await http.run(
    aSpec('http', 'http://none.example.com/'),
    aContext({ resolver: aResolver([dns.endpoint]) }),
  );
  t.match(unknown, { success: false, error: { code: 'dns_nxdomain' }, resolved_ip: null, timing: { dns_ms: null } });

  const closing = await startTcpServer(t, (socket) => socket.end());
  const closed = await http.run(aSpec('http', `http://127.0.0.1:${closing.port}/`), aContext());
  t.match(closed, { success: false, error: { code: 'http_protocol' } });
  t.type(closed.timing.tcp_ms, 'number', 'the connect is kept');
});

t.test('http asks the DNS server that the caller names', async (t) => {
  const dns = await startDnsServer(t, zone([{ type: 'A', name: 'site.example.com', data: '127.0.0.1' }]));
  const server = await startHttpServer(t, (_request, response) => response.end('ok'));
  const resolver = aResolver([{ address: '127.0.0.1', port: 1 }], { customServerPort: dns.endpoint.port });
  const url = `http://site.example.com:${server.port}/`;
  const result = await http.run(aSpec('http', url, { resolver: '127.0.0.1' }), aContext({ resolver }));
  t.match(result, { success: true, resolved_ip: '127.0.0.1' });
  const refused = await http.run(aSpec('http', url, { resolver: '10.0.0.53' }), aContext({ resolver }));
  t.match(refused, { success: false, error: { code: 'target_not_allowed' } });
});

t.test('http uses the requested address family', async (t) => {
  const dns = await startDnsServer(
    t,
    zone([
      { type: 'A', name: 'site.example.com', data: '127.0.0.1' },
      { type: 'AAAA', name: 'site.example.com', data: '::1' },
    ]),
  );
  const v4 = await startHttpServer(t, (_request, response) => response.end('4'));
  const v6 = await startHttpServer(t, (_request, response) => response.end('6'), '::1');
  const context = aContext({ resolver: aResolver([dns.endpoint]) });
  const probe = (port: number, ipVersion: 'v4' | 'v6' | 'auto') =>
    http.run(aSpec('http', `http://site.example.com:${port}/`, { ip_version: ipVersion }), context);
  t.match(await probe(v4.port, 'v4'), { success: true, ip_version: 4, body: '4' });
  t.match(await probe(v6.port, 'v6'), { success: true, ip_version: 6, resolved_ip: '::1', body: '6' });
  t.match(await probe(v6.port, 'auto'), { success: true, ip_version: 6 });
  t.match(await probe(v4.port, 'auto'), { success: true, ip_version: 4 }, 'the family that listens');
});
