import type { IncomingMessage, ServerResponse } from 'node:http';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { startDnsServer, zone } from '../../../test/_support/dns-server.js';
import { startHttpServer } from '../../../test/_support/http-server.js';
import { openSockets } from '../../../test/_support/open-resources.js';
import { aContext, aResolver, aSpec } from '../../../test/_support/probe-context.js';
import { startTcpServer, unusedPort } from '../../../test/_support/tcp-server.js';
import { startSpeedtestServer } from '../../net/speedtest-server.js';
import { ProbeFailure } from '../failure.js';
import { speedtest } from './index.js';
import { jitterOf } from './latency.js';
import { ProgressLines } from './progress-lines.js';
import { Timeline } from './timeline.js';

const isResult = compileSchema(probeTypes.speedtest.Result);
const small = { bytes: 200_000 };

async function startEndpoint(t: Test): Promise<string> {
  const server = await startSpeedtestServer('127.0.0.1', 0, systemClock);
  t.teardown(() => server.stop());
  return `http://127.0.0.1:${server.address.port}/speedtest`;
}

t.test('speedtest measures both ways against a /speedtest, and latency before', async (t) => {
  const result = await speedtest.run(aSpec('speedtest', await startEndpoint(t), { bytes: 3_000_000 }), aContext());
  t.match(result, {
    success: true,
    error: null,
    resolved_ip: '127.0.0.1',
    ip_version: 4,
    bytes: 6_000_000,
    download: { bytes: 3_000_000 },
    upload: { bytes: 3_000_000 },
  });
  t.type(result.latency_ms, 'number');
  t.type(result.jitter_ms, 'number');
  t.ok((result.download_bps ?? 0) > 0);
  t.ok(isResult(result).ok);
});

t.test('speedtest only downloads from any other URL, and as much as it may', async (t) => {
  const server = await startHttpServer(t, (_request, response) => response.end(Buffer.alloc(1_000_000)));
  const result = await speedtest.run(aSpec('speedtest', `http://127.0.0.1:${server.port}/file?a=b`, small), aContext());
  t.match(result, { success: true, upload_bps: null, bytes: 200_000, upload: { bytes: 0, ms: null } });
  t.ok(isResult(result).ok);
  t.strictSame(
    server.requests.map(({ method, path }) => [method, path]),
    [['GET', '/file?a=b']],
  );
  t.match(server.requests[0]?.headers, { 'user-agent': /vantage-agent/, 'accept-encoding': 'identity' });

  const named = await startHttpServer(t, (_request, response) => response.end('hello'));
  const other = await speedtest.run(aSpec('speedtest', `http://127.0.0.1:${named.port}/speedtest`), aContext());
  t.match(other, { success: true, upload_bps: null, bytes: 5 });
  t.equal(named.requests.length, 1, 'nothing is uploaded to a server that does not say that it is there for that');
  const unwanted = await speedtest.run(
    aSpec('speedtest', await startEndpoint(t), { ...small, upload: false }),
    aContext(),
  );
  t.match(unwanted, { success: true, upload_bps: null, bytes: 200_000 });
});

t.test('speedtest ends a body without an end by its bytes, however much time is left', async (t) => {
  const clock = new FakeClock();
  const server = await startHttpServer(t, (_request, response) => void response.write(Buffer.alloc(300_000)));
  const running = speedtest.run(aSpec('speedtest', `http://127.0.0.1:${server.port}/file`, small), aContext({ clock }));
  let isOver = false;
  void running.finally(() => {
    isOver = true;
  });
  await until('it is over', () => {
    // from the request on the time stands still
    if (server.requests.length === 0) clock.advance(10);
    return isOver;
  });
  t.match(await running, { success: true, bytes: 200_000 });
});

const answers: readonly (readonly [what: string, code: string, answer: (response: ServerResponse) => void])[] = [
  ['a redirect', 'http_protocol', (response) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end()],
  ['an error', 'http_protocol', (response) => response.writeHead(500).end('no')],
  [
    'that it is busy',
    'target_rate_limited',
    (response) => response.writeHead(429, { 'vantage-speedtest': '1', 'retry-after': '30' }).end(),
  ],
  ['hints without an end', 'http_protocol', (response) => pourHints(response)],
  ['half a body', 'http_protocol', (response) => cutAfterHalf(response)],
];

function pourHints({ socket }: ServerResponse): void {
  const hints = Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n'.repeat(400));
  const pour = () => {
    while (socket?.write(hints));
  };
  socket?.on('error', () => {}).on('drain', pour);
  pour();
}

function cutAfterHalf(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': '1000' });
  response.write(Buffer.alloc(500), () => response.socket?.end());
}

for (const [what, code, answer] of answers) {
  t.test(`speedtest takes ${what} for what it is`, async (t) => {
    const server = await startHttpServer(t, (_request, response) => answer(response));
    const result = await speedtest.run(aSpec('speedtest', `http://127.0.0.1:${server.port}/`, small), aContext());
    t.match(result, { success: false, error: { code } });
    t.type(result.latency_ms, 'number', 'what was measured is kept');
    t.ok(isResult(result).ok);
    t.equal(server.requests.length, 1, 'and follows nothing');
  });
}

t.test('speedtest believes no count of a server that is more than was sent', async (t) => {
  const liar = (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('vantage-speedtest', '1');
    if (request.method === 'GET') response.end('x');
    else response.write('999999999\n');
  };
  const server = await startHttpServer(t, (seen, response) => liar(seen as never, response));
  const result = await speedtest.run(aSpec('speedtest', `http://127.0.0.1:${server.port}/speedtest`), aContext());
  t.match(result, {
    success: false,
    error: { code: 'http_protocol', message: /more bytes than were sent/ },
    upload_bps: null,
  });
});

t.test('speedtest measures a server with headers that only curl and browsers like', async (t) => {
  const odd = `HTTP/1.1 200 OK\nSet-Cookie: a=\x01\nContent-Security-Policy: ${'a.example '.repeat(9000)}\n\nhello`;
  const server = await startTcpServer(t, (socket) => socket.once('data', () => socket.end(odd)));
  const result = await speedtest.run(aSpec('speedtest', `http://127.0.0.1:${server.port}/file`), aContext());
  t.match(result, { success: true, bytes: 5 });
});

t.test('speedtest names the phase that failed, and judges every address', async (t) => {
  const nobody = await speedtest.run(aSpec('speedtest', `http://127.0.0.1:${await unusedPort()}/`), aContext());
  t.match(nobody, { success: false, error: { code: 'tcp_refused' }, resolved_ip: '127.0.0.1', latency_ms: null });
  const mute = await startTcpServer(t, () => {});
  const clock = new FakeClock();
  const waiting = speedtest.run(aSpec('speedtest', `http://127.0.0.1:${mute.port}/`), aContext({ clock }));
  await until('the request has come', () => {
    clock.advance(10);
    return mute.received.length > 0;
  });
  clock.advance(5000);
  t.match(await waiting, { success: false, error: { code: 'http_timeout' } });
  const clear = await speedtest.run(
    aSpec('speedtest', `https://127.0.0.1:${(await startClosing(t)).port}/`),
    aContext(),
  );
  t.match(clear, { success: false, error: { code: 'tls_handshake' } });
  const dns = await startDnsServer(t, zone([{ type: 'A', name: 'private.example.com', data: '10.0.0.1' }]));
  const context = aContext({ resolver: aResolver([dns.endpoint]) });
  t.match(await speedtest.run(aSpec('speedtest', 'http://private.example.com/'), context), {
    error: { code: 'target_not_allowed' },
  });
});

function startClosing(t: Test) {
  return startTcpServer(t, (socket) => socket.once('data', () => socket.end()));
}

t.test('speedtest ends in the middle of a transfer when it is cancelled, and keeps what it has', async (t) => {
  const server = await startHttpServer(t, (_request, response) => response.write(Buffer.alloc(50_000)));
  const before = openSockets();
  const abort = new AbortController();
  const running = speedtest.run(
    aSpec('speedtest', `http://127.0.0.1:${server.port}/`),
    aContext({ signal: abort.signal }),
  );
  await until('the download has begun', () => server.requests.length === 1);
  abort.abort(new ProbeFailure('cancelled', 'called off'));
  const result = await running;
  t.match(result, { success: false, error: { code: 'cancelled' } });
  t.type(result.latency_ms, 'number');
  t.ok(isResult(result).ok);
  await until('no socket is left', () => openSockets() <= before);
});

t.test('any bytes are counts of a server or none', async (t) => {
  const parts = fc.array(fc.oneof(fc.constantFrom('1', '20', '\n', '300\n', '-', ' '), fc.string()), { maxLength: 30 });
  fc.assert(
    fc.property(parts, fc.integer({ min: 0, max: 1000 }), (texts, sent) => {
      const lines = new ProgressLines(() => sent);
      let before = 0;
      for (const text of texts) {
        const count = lines.push(Buffer.from(text, 'latin1'));
        if (count === null) return;
        t.ok(count >= before && count <= sent);
        before = count;
      }
    }),
  );
});

t.test('an upload of any size over loopback has a rate', async (t) => {
  const endpoint = await startEndpoint(t);
  for (const bytes of [100_000, 1_000_000, 5_000_000]) {
    const result = await speedtest.run(aSpec('speedtest', endpoint, { bytes }), aContext());
    t.match(result, { success: true, upload: { bytes } });
    t.ok((result.upload_bps ?? 0) > 0, `${bytes} bytes`);
  }
});

t.test('a timeline has a bounded number of arrivals and forgets no byte', async (t) => {
  const timeline = new Timeline();
  for (let i = 1; i <= 100_000; i += 1) timeline.add(i / 10, i);
  t.equal(timeline.bytes, 100_000);
  t.equal(timeline.ms, 10_000 - 0.1);
  t.ok(timeline.arrivals.length <= 2003);
});

t.test('jitter is the mean difference of one time to the next', async (t) => {
  t.equal(jitterOf([]), null);
  t.equal(jitterOf([1]), null);
  t.equal(jitterOf([1, 3, 2, 2]), 1);
});
