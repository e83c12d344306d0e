import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { startTlsServer, tlsIdentity } from '../../../test/_support/certificates.js';
import { startDeafServer, startSilentPort } from '../../../test/_support/deaf-server.js';
import { startDnsServer } from '../../../test/_support/dns-server.js';
import { openSockets } from '../../../test/_support/open-resources.js';
import { aContext, aResolver, aSpec } from '../../../test/_support/probe-context.js';
import { startTcpServer, type TestServer } from '../../../test/_support/tcp-server.js';
import { ProbeFailure } from '../failure.js';
import { http } from './index.js';

const isResult = compileSchema(probeTypes.http.Result);
const OK = 'HTTP/1.1 200 OK\r\n';

/** Answers every request with these bytes and hangs up. */
function answering(t: Test, ...bytes: (string | Buffer)[]): Promise<TestServer> {
  return startTcpServer(t, (socket) =>
    socket.once('data', () => socket.end(Buffer.concat(bytes.map((part) => Buffer.from(part))))),
  );
}

/** Writes `chunk` as fast as the client takes it, after `head`, until the client has had enough. */
function flooding(t: Test, head: string, chunk: string): Promise<TestServer> {
  const bytes = Buffer.from(chunk.repeat(Math.ceil(16384 / chunk.length)));
  const pour = (socket: Socket) => {
    while (!socket.destroyed && socket.write(bytes));
  };
  return startTcpServer(t, (socket) =>
    socket.once('data', () => {
      socket.write(head);
      socket.on('drain', () => pour(socket));
      pour(socket);
    }),
  );
}

/** True if a connection to this port of 127.0.0.1 holds bytes for which its peer has no room (proc_net_tcp(5)). */
function hasUnsentBytes(port: number): boolean {
  const peer = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return rows.some(
    ([, , remote, state, queues = '']) => remote === peer && state === '01' && !queues.startsWith('00000000:'),
  );
}

async function probe(server: TestServer) {
  const before = openSockets();
  const result = await http.run(aSpec('http', `http://127.0.0.1:${server.port}/`), aContext());
  await until('the server sees the connection closed', () => server.open === 0);
  await until('no socket is left', () => openSockets() <= before);
  return result;
}

t.test('http survives what hostile servers answer', async (t) => {
  const encoded = (coding: string, body: Buffer) =>
    answering(
      t,
      `${OK}Content-Type: text/plain\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`,
      body,
    );
  const cases: { what: string; code: string; server: TestServer }[] = [
    {
      what: '10 MB of headers',
      code: 'http_headers_too_large',
      server: await flooding(t, `${OK}X: `, 'x'.repeat(1024)),
    },
    {
      what: '100 000 header lines',
      code: 'http_headers_too_large',
      server: await answering(t, OK, 'a:b\r\n'.repeat(100_000), '\r\n'),
    },
    {
      what: '5001 header lines',
      code: 'http_headers_too_large',
      server: await answering(t, OK, 'a:b\r\n'.repeat(5001), '\r\n'),
    },
    { what: 'endless 1xx', code: 'http_protocol', server: await flooding(t, '', 'HTTP/1.1 100 Continue\r\n\r\n') },
    {
      what: 'endless 1xx of another kind',
      code: 'http_protocol',
      server: await flooding(t, '', 'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n'),
    },
    {
      what: 'an upgrade nobody asked for',
      code: 'http_protocol',
      server: await answering(t, 'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    },
    { what: 'HTTP/0.9', code: 'http_protocol', server: await answering(t, '<html>hello</html>') },
    {
      what: 'a banner of another protocol',
      code: 'http_protocol',
      server: await answering(t, '220 mail.example.com ESMTP\r\n'),
    },
    {
      what: 'wrong chunk sizes',
      code: 'http_protocol',
      server: await answering(t, `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello world\r\n0\r\n\r\n`),
    },
    {
      what: 'chunk sizes that are no numbers',
      code: 'http_protocol',
      server: await answering(t, `${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n`),
    },
    {
      what: 'two lengths',
      code: 'http_protocol',
      server: await answering(t, `${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`),
    },
    {
      what: 'a body shorter than its length',
      code: 'http_protocol',
      server: await answering(t, `${OK}Content-Length: 10\r\n\r\nhello`),
    },
    {
      what: 'endless trailers',
      code: 'http_headers_too_large',
      server: await flooding(t, `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n`, 'a: b\r\n'),
    },
    { what: 'nothing at all', code: 'http_protocol', server: await answering(t) },
    {
      what: 'a body that is not what it says',
      code: 'http_protocol',
      server: await encoded('gzip', Buffer.from('not gzip')),
    },
    {
      what: 'a reset instead of an answer',
      code: 'tcp_reset',
      server: await startTcpServer(t, (socket) => socket.once('data', () => socket.resetAndDestroy())),
    },
    {
      what: 'a reset after accept',
      code: 'tcp_reset',
      server: await startTcpServer(t, (socket) => socket.resetAndDestroy()),
    },
  ];
  for (const { what, code, server } of cases) {
    const result = await probe(server);
    t.match(result, { success: false, error: { code } }, what);
    t.ok(isResult(result).ok, `${what}: of the schema`);
  }
});

t.test('http takes what is odd but whole', async (t) => {
  const cases = [
    { what: '5000 header lines', bytes: [OK, 'a:b\r\n'.repeat(4999), 'Content-Length: 2\r\n\r\nok'] },
    { what: 'a header of 250 KB', bytes: [OK, `A: ${'b'.repeat(250_000)}\r\nContent-Length: 2\r\n\r\nok`] },
    {
      what: 'a few interim responses',
      bytes: ['HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(3), OK, 'Content-Length: 2\r\n\r\nok'],
    },
    { what: 'a body that ends with the connection', bytes: [OK, '\r\nok'] },
    { what: 'HTTP/1.0', bytes: ['HTTP/1.0 200 OK\r\n\r\nok'] },
    { what: 'a later version in the form of HTTP/1.1', bytes: ['HTTP/2.0 200 OK\r\n\r\nok'] },
    { what: 'bytes after the answer', bytes: [OK, 'Content-Length: 2\r\n\r\nok', 'HTTP/1.1 500 No\r\n\r\n'] },
  ];
  for (const { what, bytes } of cases) {
    t.match(await probe(await answering(t, ...bytes)), { success: true, status_code: 200, body: 'ok' }, what);
  }
});

t.test('http reads 1 MiB of an endless body and calls it an answer', async (t) => {
  const server = await flooding(t, `${OK}Content-Type: text/plain\r\n\r\n`, 'x'.repeat(1024));
  const result = await probe(server);
  t.match(result, { success: true, status_code: 200, response_size: 1024 * 1024, body_truncated: true });
  t.equal(result.body?.length, 64 * 1024);
});

t.test('http reads 1 MiB of a body, compressed or not, and calls it an answer', async (t) => {
  const line = '<p>no. 0123456789 of many</p>\n';
  const page = Buffer.from(`first line\n${line.repeat(80_000)}last line`);
  const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
  const codings = {
    identity: page,
    gzip: gzipSync(page),
    deflate: deflateRawSync(page),
    br: brotliCompressSync(page, fast),
    'br, gzip': gzipSync(brotliCompressSync(page, fast)),
  };
  const params = { keywords: ['first line', 'last line'], json_paths: ['$'] };
  for (const [coding, body] of Object.entries(codings)) {
    const head = `${OK}Content-Type: text/html\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`;
    const server = await answering(t, head, body);
    const result = await http.run(aSpec('http', `http://127.0.0.1:${server.port}/`, params), aContext());
    t.match(result, { success: true, error: null, status_code: 200, body_truncated: true }, coding);
    t.equal(result.body?.length, 64 * 1024, coding);
    t.match(result.keywords, [{ count: 1 }, { count: null, error: 'not in the first 1048576 bytes' }], coding);
    t.match(result.json_paths, [{ count: null, error: 'the body is larger than 1048576 bytes' }], coding);
    t.ok(isResult(result).ok, coding);
  }
  const noise = randomBytes(2 * 1024 * 1024);
  const large = await probe(
    await answering(t, `${OK}Content-Encoding: gzip\r\n\r\n`, gzipSync(Buffer.concat([Buffer.from('first'), noise]))),
  );
  t.match(large, { success: true, response_size: 1024 * 1024, body_truncated: true, body: /^first/ });
});

t.test('http reads a body by the last of several content types', async (t) => {
  const types = 'Content-Type: text/html\r\nContent-Type: text/html; charset=gbk\r\nContent-Type: x\r\n';
  const server = await answering(t, `${OK}${types}Content-Length: 4\r\n\r\n`, Buffer.from('c4e3bac3', 'hex'));
  const result = await http.run(aSpec('http', `http://127.0.0.1:${server.port}/`, { keywords: ['你好'] }), aContext());
  t.match(result, { body: '你好', keywords: [{ count: 1 }], headers: { 'content-type': 'text/html; charset=gbk' } });
});

t.test('http reads a body that compresses by more than a hundred', async (t) => {
  const rows = JSON.stringify({ rows: Array.from({ length: 9000 }, () => ({ status: 'OPERATIONAL', value: 0 })) });
  const body = gzipSync(rows);
  t.ok(rows.length > 100 * body.length, 'it does');
  const head = `${OK}Content-Type: text/plain\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`;
  const server = await answering(t, head, body);
  const params = { keywords: ['OPERATIONAL'] };
  const result = await http.run(aSpec('http', `http://127.0.0.1:${server.port}/`, params), aContext());
  t.match(result, { success: true, response_size: body.length, keywords: [{ count: 9000 }] });
});

t.test('http undoes the content codings it offers', async (t) => {
  const text = 'Grüße, Welt. '.repeat(20);
  const codings = {
    gzip: gzipSync,
    'x-gzip': gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    identity: (body: Buffer) => body,
  };
  for (const [coding, compress] of Object.entries(codings)) {
    const body = compress(Buffer.from(text));
    const head = `${OK}Content-Type: text/plain; charset=utf-8\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`;
    const result = await probe(await answering(t, head, body));
    t.match(result, { success: true, response_size: body.length }, coding);
    t.equal(result.body, text, coding);
  }
  const unknown = await probe(await answering(t, `${OK}Content-Encoding: zstd\r\nContent-Length: 2\r\n\r\nok`));
  t.match(unknown, { success: true, response_size: 2 });
  t.notOk('body' in unknown, 'bytes of another coding are no text');
});

t.test('http has one deadline over everything, and names the phase it ended', async (t) => {
  const silentDns = await startDnsServer(t, () => null);
  const mute = await startTcpServer(t, () => {});
  const deaf = await startDeafServer(t);
  const silentPort = await startSilentPort(t);
  const drip = await startTcpServer(t, (socket) => socket.once('data', () => socket.write('H')));
  // 160 KB fill every buffer on the way to a program that never reads: its window closes
  const much = {
    method: 'POST',
    body: 'x'.repeat(32768),
    headers: Object.fromEntries([...Array(32).keys()].map((i) => [`X-${i}`, 'y'.repeat(4096)])),
  } as const;
  const cases = [
    {
      what: 'a DNS server that is silent',
      code: 'dns_timeout',
      url: 'http://site.example.com/',
      begun: () => silentDns.queries.length > 0,
    },
    {
      what: 'a port that drops SYNs',
      code: 'tcp_timeout',
      url: `http://127.0.0.1:${silentPort}/`,
      begun: (before: number) => openSockets() > before,
    },
    {
      what: 'a server without a TLS answer',
      code: 'tls_handshake',
      url: `https://127.0.0.1:${mute.port}/`,
      begun: () => mute.received.length > 0,
    },
    {
      what: 'a server without an answer',
      code: 'http_timeout',
      url: `http://127.0.0.1:${mute.port}/`,
      begun: () => mute.received.includes('GET'),
    },
    {
      what: 'one byte and no more',
      code: 'http_timeout',
      url: `http://127.0.0.1:${drip.port}/`,
      begun: () => drip.received.length > 0,
    },
    {
      what: 'a window that closes',
      code: 'http_timeout',
      url: `http://127.0.0.1:${deaf}/`,
      begun: () => hasUnsentBytes(deaf),
      params: much,
    },
  ];
  for (const { what, code, url, begun, params = {} } of cases) {
    const clock = new FakeClock();
    const context = aContext({ clock, resolver: aResolver([silentDns.endpoint], { clock }) });
    const before = openSockets();
    const running = http.run(aSpec('http', url, { timeout_ms: 1000, ...params }), context);
    await until(`${what}: begun`, () => begun(before));
    clock.advance(1000);
    const result = await running;
    t.match(result, { success: false, error: { code } }, what);
    t.ok(isResult(result).ok, what);
    await until(`${what}: no socket is left`, () => openSockets() <= before);
    t.equal(clock.pendingTimers, 0, `${what}: no timer is left`);
  }
});

t.test('http ends with what it has when it is cancelled, in every phase', async (t) => {
  const silentDns = await startDnsServer(t, () => null);
  const silentPort = await startSilentPort(t);
  const mute = await startTcpServer(t, () => {});
  const half = await startTcpServer(t, (socket) =>
    socket.once('data', () => socket.write(`${OK}Content-Length: 9\r\n\r\nhalf`)),
  );
  let secured = 0;
  const tls = await startTlsServer(t, tlsIdentity('good'), (socket) => {
    secured += 1;
    socket.resume();
  });
  const cases = [
    { phase: 'dns', url: 'http://site.example.com/', begun: () => silentDns.queries.length > 0 },
    { phase: 'tcp', url: `http://127.0.0.1:${silentPort}/`, begun: (before: number) => openSockets() > before },
    { phase: 'tls', url: `https://127.0.0.1:${mute.port}/`, begun: () => mute.received.length > 0 },
    { phase: 'request', url: `https://127.0.0.1:${tls.port}/`, begun: () => secured > 0 },
    { phase: 'answer', url: `http://127.0.0.1:${half.port}/`, begun: () => half.received.length > 0 },
  ];
  for (const { phase, url, begun } of cases) {
    const abort = new AbortController();
    const before = openSockets();
    const running = http.run(
      aSpec('http', url),
      aContext({ signal: abort.signal, resolver: aResolver([silentDns.endpoint]) }),
    );
    await until(`${phase}: begun`, () => begun(before));
    abort.abort(new ProbeFailure('cancelled', 'called off'));
    const result = await running;
    t.match(result, { success: false, error: { code: 'cancelled' } }, phase);
    t.ok(isResult(result).ok, phase);
    await until(`${phase}: no socket is left`, () => openSockets() <= before);
  }
  await until('the servers see every connection closed', () => mute.open + half.open + tls.open === 0);
});

t.test('http survives a server that closes its half first', async (t) => {
  const early = await startTcpServer(t, (socket) => socket.end(`${OK}Content-Length: 2\r\n\r\nok`));
  t.match(await probe(early), { success: true, body: 'ok' }, 'an answer before the request');
  const silent = await startTcpServer(t, (socket) => socket.end());
  t.match(await probe(silent), { success: false, error: { code: 'http_protocol' } }, 'no answer');
});
