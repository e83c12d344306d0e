import {
  createSecureServer,
  createServer,
  type Http2Server,
  type Http2Stream,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { until } from '@vantage/shared/_support/until.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { testAuthority, tlsIdentity } from '../../../test/_support/certificates.js';
import { startDnsServer, zone } from '../../../test/_support/dns-server.js';
import { startHttpServer } from '../../../test/_support/http-server.js';
import { connectionsTo, openSockets } from '../../../test/_support/open-resources.js';
import { aContext, aResolver, aSpec, testUserAgent } from '../../../test/_support/probe-context.js';
import { HttpEngine, http } from './index.js';

const isResult = compileSchema(probeTypes.http.Result);
const trusting = new HttpEngine({ trustedCertificates: [testAuthority] });

type Serve = (stream: ServerHttp2Stream, headers: Record<string, unknown>, body: string) => void;

async function listen(t: Test, server: Http2Server, serve: Serve): Promise<{ port: number; open: () => number }> {
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => {});
  });
  server.on('stream', async (stream, headers) => {
    stream.on('error', () => {});
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    serve(stream, headers, Buffer.concat(chunks).toString());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  // not its sessions: one that is reset while it writes may never be notified by Node 20
  return { port, open: () => connectionsTo(port) };
}

function startH2Server(t: Test, serve: Serve, options: TlsOptions & { allowHTTP1?: boolean } = {}) {
  return listen(t, createSecureServer({ ...tlsIdentity('good'), ...options }), serve);
}

async function siteContext(t: Test) {
  const dns = await startDnsServer(t, zone([{ type: 'A', name: 'site.example.com', data: '127.0.0.1' }]));
  return aContext({ resolver: aResolver([dns.endpoint]) });
}

t.test('http speaks HTTP/2 if the server chooses it, with the same results as HTTP/1.1', async (t) => {
  const seen: Record<string, unknown>[] = [];
  const server = await startH2Server(t, (stream, headers, body) => {
    seen.push({ ...headers, body });
    stream.additionalHeaders({ ':status': 103, link: '<a>' });
    const text = gzipSync(`hello ${body}`);
    stream.respond({ ':status': 200, 'content-type': 'text/plain', 'content-encoding': 'gzip', 'X-Many': ['a', 'b'] });
    stream.end(text);
  });
  const context = await siteContext(t);
  const before = openSockets();
  const url = `https://site.example.com:${server.port}/path?q=1`;
  const params = { method: 'POST', body: 'world', headers: { 'X-Custom': 'yes' }, verify_tls: true } as const;
  const result = await trusting.run(aSpec('http', url, params), context);
  t.match(result, {
    success: true,
    error: null,
    status_code: 200,
    http_version: '2',
    final_url: url,
    body: 'hello world',
    headers: { 'content-type': 'text/plain', 'x-many': 'a, b' },
    tls: { protocol: 'TLSv1.3', authorized: true },
  });
  t.ok(isResult(result).ok, 'it is of the schema');
  t.notOk(
    Object.keys(result.headers).some((name) => name.startsWith(':')),
    'its own headers are no headers',
  );
  t.match(seen[0], {
    ':method': 'POST',
    ':scheme': 'https',
    ':authority': `site.example.com:${server.port}`,
    ':path': '/path?q=1',
    'x-custom': 'yes',
    'user-agent': testUserAgent,
    'content-length': '5',
    body: 'world',
  });
  t.notHas(seen[0], { host: String });
  const { timing, response_ms: total } = result;
  const phases = [timing.tcp_ms, timing.tls_ms, timing.ttfb_ms, timing.download_ms].map((ms) => ms ?? Number.NaN);
  t.ok(
    phases.every((ms) => ms >= 0),
    'every phase is measured',
  );
  t.ok(phases.reduce((sum, ms) => sum + ms, 0) <= (total ?? 0), 'the phases lie within the whole');
  await until('the connection is closed', () => server.open() === 0 && openSockets() <= before);
});

t.test('http speaks HTTP/1.1 to servers that know nothing else, and on request', async (t) => {
  const old = createHttpsServer(tlsIdentity('good'), (_request, response) => response.end('old'));
  await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    old.closeAllConnections();
    old.close();
  });
  const both = createSecureServer({ ...tlsIdentity('good'), allowHTTP1: true }, (_request, response) =>
    response.end('both'),
  );
  await new Promise<void>((resolve) => both.listen(0, '127.0.0.1', resolve));
  t.teardown(() => both.close());
  const ports = { old: (old.address() as AddressInfo).port, both: (both.address() as AddressInfo).port };
  const probe = (port: number, version: 'auto' | '1.1' | '2') =>
    http.run(aSpec('http', `https://127.0.0.1:${port}/`, { http_version: version }), aContext());
  t.match(await probe(ports.old, 'auto'), { success: true, http_version: '1.1', body: 'old' });
  t.match(await probe(ports.both, 'auto'), { success: true, http_version: '2', body: 'both' });
  t.match(await probe(ports.both, '1.1'), { success: true, http_version: '1.1', body: 'both' });
  const demanded = await probe(ports.old, '2');
  t.match(demanded, {
    success: false,
    error: { code: 'http_protocol', message: /did not agree to HTTP\/2/ },
    tls: { protocol: 'TLSv1.3' },
  });
  t.type(demanded.timing.tls_ms, 'number', 'the handshake is kept');
});

t.test('http over plain TCP speaks HTTP/2 only when it is demanded', async (t) => {
  const server = await listen(t, createServer(), (stream) => {
    stream.respond({ ':status': 204 });
    stream.end();
  });
  const url = `http://127.0.0.1:${server.port}/`;
  t.match(await http.run(aSpec('http', url, { http_version: '2' }), aContext()), {
    success: true,
    status_code: 204,
    http_version: '2',
    response_size: 0,
  });
  t.match(await http.run(aSpec('http', url), aContext()), { success: false, error: { code: 'http_protocol' } });
  const old = await startHttpServer(t, (_request, response) => response.end());
  const demanded = await http.run(aSpec('http', `http://127.0.0.1:${old.port}/`, { http_version: '2' }), aContext());
  t.match(demanded, { success: false, error: { code: 'http_protocol' } });
});

t.test('http follows redirects over HTTP/2, each hop over a connection of its own', async (t) => {
  let sessions = 0;
  const server = await startH2Server(t, (stream, headers) => {
    const isEnd = headers[':path'] === '/end';
    stream.respond(isEnd ? { ':status': 200 } : { ':status': 302, location: '/end' });
    // more of a body than flow control lets pass: it is not waited for
    stream.end(isEnd ? 'arrived' : Buffer.alloc(4 * 1024 * 1024));
    sessions += 1;
  });
  const url = `https://127.0.0.1:${server.port}/`;
  const result = await http.run(aSpec('http', url), aContext());
  t.match(result, { success: true, final_url: `${url}end`, body: 'arrived', redirects: [{ url, status_code: 302 }] });
  t.equal(sessions, 2);
  await until('every connection is closed', () => server.open() === 0);
});

t.test('http over HTTP/2 reads 1 MiB of a body, sends one of 32 KiB, and needs none for HEAD', async (t) => {
  const server = await startH2Server(t, (stream, headers, body) => {
    stream.respond({
      ':status': 200,
      'content-type': 'text/plain',
      'x-length': String(body.length),
      'content-length': 3145728,
    });
    stream.end(headers[':method'] === 'HEAD' ? undefined : 'x'.repeat(3 * 1024 * 1024));
  });
  const url = `https://127.0.0.1:${server.port}/`;
  const cut = await http.run(aSpec('http', url, { method: 'PUT', body: 'y'.repeat(32_768) }), aContext());
  t.match(cut, { success: true, response_size: 1024 * 1024, body_truncated: true, headers: { 'x-length': '32768' } });
  const head = await http.run(aSpec('http', url, { method: 'HEAD' }), aContext());
  t.match(head, { success: true, status_code: 200, response_size: 0, body_truncated: false });
  await until('every connection is closed', () => server.open() === 0);
});

t.test('http over HTTP/2 takes an answer that comes before the request is complete', async (t) => {
  // a server that reads nothing of a body and closes the stream in good order
  const server = createServer({ settings: { initialWindowSize: 10 } });
  server.on('stream', (stream: Http2Stream & ServerHttp2Stream) => {
    stream.on('error', () => {});
    stream.respond({ ':status': 413 });
    stream.end('too much');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const params = { http_version: '2', method: 'POST', body: 'x'.repeat(32_768) } as const;
  t.match(await http.run(aSpec('http', url, params), aContext()), {
    success: true,
    status_code: 413,
    body: 'too much',
  });
});
