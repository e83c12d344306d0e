import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import { type DecodedPacket, decode } from 'dns-packet';
import t, { type Test } from 'tap';
import { type Leaf, startTlsServer, testAuthority, tlsIdentity } from '../../../test/_support/certificates.js';
import { dnsMessage, startDnsServer, zone } from '../../../test/_support/dns-server.js';
import { frameTypes, h2Frame, serverPreface } from '../../../test/_support/h2-frames.js';
import { openSockets } from '../../../test/_support/open-resources.js';
import { aContext, aResolver, aSpec, testUserAgent } from '../../../test/_support/probe-context.js';
import { startTcpServer } from '../../../test/_support/tcp-server.js';
import { DnsEngine } from './index.js';

const isResult = compileSchema(probeTypes.dns.Result);
const engine = new DnsEngine({ trustedCertificates: [testAuthority] });
const SITE = { type: 'A', name: 'site.example.com', ttl: 300, data: '93.184.216.34' } as const;
const MEDIA_TYPE = 'application/dns-message';

/** Connections as their servers have them: a server that was cut off in the middle of writing may hold on to one. */
const servedSockets = new Set<Socket>();

type Params = Parameters<typeof aSpec<'dns'>>[2];

async function ask(t: Test, params: Params, resolverEndpoint = { address: '127.0.0.1', port: 1 }) {
  const before = openSockets();
  const context = aContext({ resolver: aResolver([resolverEndpoint]) });
  const result = await engine.run(aSpec('dns', 'site.example.com', { server: '127.0.0.1', ...params }), context);
  t.ok(isResult(result).ok, 'the result is of its schema');
  for (const socket of servedSockets) socket.destroy();
  await until('no socket is left', () => openSockets() <= before);
  return result;
}

function answerTo(query: Buffer): Buffer {
  const { id = 0, questions = [] } = decode(query) as DecodedPacket & { id?: number };
  return dnsMessage({ id, questions, answers: [SITE] });
}

function withLength(message: Buffer): Buffer {
  return Buffer.concat([Buffer.of(message.length >> 8, message.length & 255), message]);
}

async function startDot(t: Test, leaf: Leaf) {
  return startTlsServer(t, { ...tlsIdentity(leaf), ALPNProtocols: ['dot'] }, (socket) => {
    socket.on('data', (chunk: Buffer) => {
      // one byte at a time: the length too may come in pieces
      for (const byte of withLength(answerTo(chunk.subarray(2)))) socket.write(Buffer.of(byte));
    });
  });
}

/** The port; what a server keeps open is destroyed when `ask` has its result. */
async function listening(t: Test, server: Server): Promise<number> {
  server.on('connection', (socket: Socket) => {
    servedSockets.add(socket);
    socket.once('close', () => servedSockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

t.test('dns over TLS: the certificate is recorded, and fails the probe only when asked', async (t) => {
  const good = await startDot(t, 'good');
  const own = await startDnsServer(t, zone([{ type: 'A', name: 'good.example.com', data: '127.0.0.1' }]));
  const result = await ask(t, { transport: 'dot', port: good.port });
  t.match(result, {
    success: true,
    transport: 'dot',
    records: [{ value: '93.184.216.34' }],
    tls: { protocol: /TLSv1/ },
  });
  t.ok((result.connect_ms ?? -1) >= 0 && (result.tls_ms ?? -1) >= 0 && (result.query_ms ?? -1) >= 0);
  t.ok(own.endpoint.port > 0);
  const bad = await startDot(t, 'self-signed');
  t.match(await ask(t, { transport: 'dot', port: bad.port }), { success: true, tls: { authorized: false } });
  t.match(await ask(t, { transport: 'dot', port: bad.port, verify_tls: true }), {
    success: false,
    error: { code: 'tls_self_signed' },
    tls: { authorized: false },
    rcode: null,
    query_ms: null,
  });
});

t.test('dns over HTTPS in HTTP/2 and HTTP/1.1: one POST, id 0, the service named', async (t) => {
  const seen: { version: string; path: string; type: string; agent: string; id: number }[] = [];
  const identity = tlsIdentity('good');
  const serve = (version: string, head: Record<string, unknown>, body: Buffer) => {
    const { id = -1 } = decode(body) as DecodedPacket & { id?: number };
    const [path, type, agent] = [head[':path'] ?? head['path'], head['content-type'], head['user-agent']];
    seen.push({ version, path: String(path), type: String(type), agent: String(agent), id });
    return answerTo(body);
  };
  const h2 = createSecureServer(identity);
  h2.on('stream', (stream, headers) => {
    stream.once('data', (body: Buffer) => {
      stream.respond({ ':status': 200, 'content-type': MEDIA_TYPE });
      stream.end(serve('2', headers, body));
    });
  });
  const h1 = createServer(identity, (request, response) => {
    request.once('data', (body: Buffer) => {
      response.setHeader('content-type', `${MEDIA_TYPE}; x=y`);
      response.end(serve('1.1', { ...request.headers, path: request.url }, body));
    });
  });
  for (const server of [h2, h1]) {
    const result = await ask(t, { transport: 'doh', port: await listening(t, server) });
    t.match(result, {
      success: true,
      transport: 'doh',
      records: [{ value: '93.184.216.34' }],
      tls: { authorized: true },
    });
  }
  const same = { path: '/dns-query', type: MEDIA_TYPE, agent: testUserAgent, id: 0 };
  t.strictSame(seen, [
    { version: '2', ...same },
    { version: '1.1', ...same },
  ]);
});

t.test('dns gives connect, handshake and question each the time that passed in it, by every transport', async (t) => {
  const clock = new FakeClock();
  const plain = await startDnsServer(t, ({ type }) => {
    clock.advance(70);
    return { answers: type === 'A' ? [SITE] : [] };
  });
  const answer = (query: Buffer) => {
    clock.advance(70);
    return answerTo(query);
  };
  const dot = createTlsServer({ ...tlsIdentity('good'), ALPNProtocols: ['dot'] }, (socket) => {
    socket.once('data', (query: Buffer) => socket.write(withLength(answer(query.subarray(2)))));
  });
  const h2 = createSecureServer(tlsIdentity('good'));
  h2.on('stream', (stream) => {
    stream.once('data', (query: Buffer) => {
      const message = answer(query);
      stream.respond({ ':status': 200, 'content-type': MEDIA_TYPE });
      stream.end(message);
    });
  });
  const h1 = createServer(tlsIdentity('good'), (request, response) => {
    request.once('data', (query: Buffer) => {
      response.setHeader('content-type', MEDIA_TYPE);
      response.end(answer(query));
    });
  });
  // by the next turn the client knows that it is connected, and has begun its handshake
  for (const server of [dot, h2, h1]) server.on('connection', () => setImmediate(() => clock.advance(20)));
  const cases = [
    { transport: 'udp', port: plain.endpoint.port, connect_ms: null, tls_ms: null },
    { transport: 'tcp', port: plain.endpoint.port, connect_ms: 0, tls_ms: null },
    { transport: 'dot', port: await listening(t, dot), connect_ms: 0, tls_ms: 20 },
    { transport: 'doh', port: await listening(t, h2), connect_ms: 0, tls_ms: 20 },
    { transport: 'doh', port: await listening(t, h1), connect_ms: 0, tls_ms: 20 },
  ] as const;
  for (const { transport, port, ...times } of cases) {
    const spec = aSpec('dns', 'site.example.com', { server: '127.0.0.1', transport, port });
    const result = await engine.run(spec, aContext({ clock }));
    t.match(result, { success: true, transport, query_ms: 70, ...times }, `${transport} at ${port}`);
  }
  for (const socket of servedSockets) socket.destroy();
});

t.test('dns over HTTPS survives what hostile servers answer', async (t) => {
  const endless = (write: () => boolean) => {
    while (write());
  };
  const chunk = Buffer.alloc(16_384);
  const ok = { 'content-type': MEDIA_TYPE };
  const cases: {
    what: string;
    code: string;
    message?: RegExp;
    h2: (s: ServerHttp2Stream) => void;
    h1: (r: ServerResponse) => void;
  }[] = [
    {
      what: 'an endless body',
      code: 'body_too_large',
      h2: (stream) => {
        stream.respond(ok);
        stream.on('drain', () => endless(() => stream.write(chunk)));
        endless(() => stream.write(chunk));
      },
      h1: (response) => {
        response.writeHead(200, ok);
        response.on('drain', () => endless(() => response.write(chunk)));
        endless(() => response.write(chunk));
      },
    },
    {
      what: 'another media type',
      code: 'dns_error',
      message: /did not respond with application\/dns-message/,
      h2: (stream) => {
        stream.respond({ 'content-type': 'text/html' });
        stream.end('hello');
      },
      h1: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('hello'),
    },
    {
      what: 'a redirect',
      code: 'dns_error',
      message: /HTTP status 302/,
      h2: (stream) => stream.respond({ ':status': 302, location: 'https://127.0.0.1/' }, { endStream: true }),
      h1: (response) => response.writeHead(302, { location: 'https://127.0.0.1/' }).end(),
    },
    {
      what: 'an empty body',
      code: 'dns_error',
      h2: (stream) => stream.respond(ok, { endStream: true }),
      h1: (response) => response.writeHead(200, ok).end(),
    },
    {
      what: 'hints without an end',
      code: 'http_protocol',
      message: /sent more than 524288 bytes/,
      h2: (stream) => {
        const hint = () => {
          if (stream.destroyed) return;
          stream.additionalHeaders({ ':status': 103, link: randomBytes(4000).toString('hex') });
          setImmediate(hint);
        };
        hint();
      },
      h1: ({ socket }) => {
        const hints = Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n'.repeat(400));
        socket?.on('error', () => {});
        socket?.on('drain', () => endless(() => socket.write(hints)));
        endless(() => socket?.write(hints) ?? false);
      },
    },
    {
      what: 'a broken stream',
      code: 'http_protocol',
      h2: (stream) => stream.close(2),
      h1: (response) => response.socket?.end('garbage\r\n\r\n'),
    },
  ];
  for (const { what, code, message = /./, h2, h1 } of cases) {
    const second = createSecureServer(tlsIdentity('good'));
    second.on('stream', (stream) => {
      stream.on('error', () => {});
      h2(stream);
    });
    second.on('sessionError', () => {});
    const first = createServer(tlsIdentity('good'), (_request, response) => {
      response.on('error', () => {});
      h1(response);
    });
    for (const server of [second, first]) {
      const result = await ask(t, { transport: 'doh', port: await listening(t, server) });
      t.match(result, { success: false, error: { code, message }, transport: 'doh' }, what);
      t.type(result.tls_ms, 'number', 'what was measured before is kept');
    }
  }
});

t.test('dns over HTTPS ends as soon as a server breaks the rules of HTTP/2', async (t) => {
  const options = { ...tlsIdentity('good'), ALPNProtocols: ['h2'] };
  const frames = {
    'in silence': h2Frame(frameTypes.data, { payload: Buffer.alloc(1) }),
    'with an error that has a number': h2Frame(frameTypes.ping, { stream: 1, payload: Buffer.alloc(8) }),
  };
  for (const [how, frame] of Object.entries(frames)) {
    const server = await startTlsServer(t, options, (socket) =>
      socket.once('data', () => socket.write(Buffer.concat([serverPreface, frame]))),
    );
    const result = await ask(t, { transport: 'doh', port: server.port });
    t.match(
      result,
      { success: false, error: { code: 'http_protocol', message: /did not complete its response/ } },
      how,
    );
    await until('the connection is closed', () => server.open === 0);
  }
});

t.test('dns over TLS and HTTPS: a server that speaks no TLS fails the handshake', async (t) => {
  const plain = await startTcpServer(t, (socket) => socket.end('220 hello\r\n'));
  for (const transport of ['dot', 'doh'] as const) {
    const result = await ask(t, { transport, port: plain.port });
    t.match(result, { success: false, error: { code: 'tls_handshake' }, transport, tls: null });
    t.type(result.connect_ms, 'number');
  }
});

t.test('dns keeps what a cut answer held when tcp brings none', async (t) => {
  const server = await startDnsServer(t, ({ transport }) =>
    transport === 'udp' ? { flags: 0x200, answers: [SITE] } : [Buffer.alloc(12)],
  );
  const result = await ask(t, { port: server.endpoint.port });
  t.match(result, { success: false, error: { code: 'dns_error' }, rcode: 'NOERROR', flags: ['tc'], records: [{}] });
  const refusing = await startDnsServer(t, ({ transport }) =>
    transport === 'udp' ? { flags: 0x200, answers: [SITE] } : { rcode: 'REFUSED' },
  );
  const refused = await ask(t, { port: refusing.endpoint.port });
  t.match(refused, { success: false, error: { code: 'dns_refused' }, rcode: 'NOERROR', records: [{}] });
});

t.test('dns by tcp: a length that promises more than comes ends with the time', async (t) => {
  const server = await startTcpServer(t, (socket) => socket.once('data', () => socket.write(Buffer.of(0xff))));
  const result = await ask(t, { transport: 'tcp', port: server.port, timeout_ms: 300 });
  t.match(result, { success: false, error: { code: 'dns_timeout' } });
  await until('the connection is closed', () => server.open === 0);
});
