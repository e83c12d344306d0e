import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliCompressSync } from 'node:zlib';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { startTlsServer, tlsIdentity } from '../../../test/_support/certificates.js';
import {
  END_HEADERS,
  END_STREAM,
  frameTypes,
  h2Data,
  h2Frame,
  h2Head,
  literalHeader,
  STATUS_200,
  serverPreface,
  uint32,
} from '../../../test/_support/h2-frames.js';
import { openSockets } from '../../../test/_support/open-resources.js';
import { aContext, aSpec } from '../../../test/_support/probe-context.js';
import { startTcpServer, type TestServer } from '../../../test/_support/tcp-server.js';
import { http } from './index.js';

const isResult = compileSchema(probeTypes.http.Result);
/** Frames for which nghttp2 closes a session without an error. */
const broken = {
  'a frame that is too large': h2Data('x'.repeat(20_000)),
  'headers that are no HPACK': h2Head(Buffer.alloc(8, 0xff)),
  'headers beyond the table of HPACK': h2Head(Buffer.from([0xff, 0xff, 0x7f])),
  'a ping that is too short': h2Frame(frameTypes.ping, { payload: Buffer.alloc(3) }),
  'a ping on a stream': h2Frame(frameTypes.ping, { stream: 1, payload: Buffer.alloc(8) }),
  'a priority that is too short': h2Frame(frameTypes.priority, { stream: 1, payload: Buffer.alloc(3) }),
  'a reset that is too short': h2Frame(frameTypes.rstStream, { stream: 1, payload: Buffer.alloc(3) }),
  'settings that are cut': h2Frame(frameTypes.settings, { payload: Buffer.alloc(5) }),
  'an acknowledgement of settings with settings': h2Frame(frameTypes.settings, { flags: 1, payload: Buffer.alloc(6) }),
  'data on no stream': h2Frame(frameTypes.data, { payload: Buffer.alloc(1) }),
  'data on a stream nobody opened': h2Frame(frameTypes.data, { stream: 7, payload: Buffer.alloc(1) }),
  'data padded beyond its end': h2Frame(frameTypes.data, { flags: 8, stream: 1, payload: Buffer.from([9, 1]) }),
  'headers on no stream': h2Frame(frameTypes.headers, { flags: END_HEADERS, payload: STATUS_200 }),
  'CONTINUATION of nothing': h2Frame(frameTypes.continuation, { flags: END_HEADERS, stream: 1 }),
  'a window update that is too short': h2Frame(frameTypes.windowUpdate, { payload: Buffer.alloc(2) }),
};
const clientPreface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const whole = END_HEADERS | END_STREAM;

/** Answers the client's preface with these frames, and hangs up where `ends`. */
function answering(t: Test, frames: readonly Buffer[], ends = false): Promise<TestServer> {
  return startTcpServer(t, (socket) =>
    socket.once('data', () => {
      socket.write(Buffer.concat(frames));
      if (ends) socket.end();
    }),
  );
}

/** Writes `frames`, then `chunk` over and over as fast as the client takes it. */
function flooding(t: Test, frames: readonly Buffer[], chunk: Buffer): Promise<TestServer> {
  const much = Buffer.concat(Array<Buffer>(Math.ceil(65_536 / chunk.length)).fill(chunk));
  return startTcpServer(t, (socket) =>
    socket.once('data', () => {
      const pour = () => {
        while (!socket.destroyed && socket.write(much));
      };
      socket.write(Buffer.concat(frames));
      socket.on('drain', pour);
      pour();
    }),
  );
}

/** Types of the frames that a client has sent so far. */
function framesIn(received: Buffer): number[] {
  const types: number[] = [];
  for (let at = clientPreface.length; at + 9 <= received.length; at += 9 + received.readUIntBE(at, 3))
    types.push(received[at + 3] ?? 0);
  return types;
}

const spec = (server: TestServer) => aSpec('http', `http://127.0.0.1:${server.port}/`, { http_version: '2' });

async function probe(server: TestServer) {
  const before = openSockets();
  const result = await http.run(spec(server), aContext());
  await until('the server sees the connection closed', () => server.open === 0);
  await until('no socket is left', () => openSockets() <= before);
  return result;
}

const rst = (code: number) => h2Frame(frameTypes.rstStream, { stream: 1, payload: uint32(code) });
const goaway = (last: number, code: number) => h2Frame(frameTypes.goaway, { payload: uint32(last, code) });
const promise = h2Frame(frameTypes.pushPromise, { stream: 1, flags: 4, payload: Buffer.from([0, 0, 0, 2, 0x88]) });
const settings = (id: number, value: number) =>
  h2Frame(frameTypes.settings, { payload: Buffer.concat([Buffer.from([0, id]), uint32(value)]) });
const block = (...parts: Buffer[]) => Buffer.concat([STATUS_200, ...parts]);
const filler = (size: number) => literalHeader('x', 'y'.repeat(size));
const continuation = (payload: Buffer, flags = 0) => h2Frame(frameTypes.continuation, { flags, stream: 1, payload });
/** A header block in as many frames as it needs. */
function headersOf(headers: Buffer, flags = END_STREAM): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < headers.length; at += 16_000) parts.push(headers.subarray(at, at + 16_000));
  const last = parts.length - 1;
  return parts.map((part, i) => {
    const end = i === last ? END_HEADERS : 0;
    return i === 0 ? h2Head(part, flags | end) : continuation(part, end);
  });
}
/** A line of 4 KB that HPACK adds to its table (RFC 7541 section 6.2.1), where it is entry 62, and 99 times this entry. */
const tabled = block(
  Buffer.concat([Buffer.from([0x40]), literalHeader('x', 'y'.repeat(4000)).subarray(1)]),
  Buffer.alloc(99, 0x80 | 62),
);
const hintsOf = (lines: number) =>
  headersOf(Buffer.concat([literalHeader(':status', '103'), ...Array<Buffer>(lines).fill(literalHeader('a', 'b'))]), 0);

t.test('http survives what hostile HTTP/2 servers answer', async (t) => {
  const preface = serverPreface;
  const cases: { what: string; code: string; server: TestServer }[] = [
    {
      what: 'HTTP/1.1',
      code: 'http_protocol',
      server: await answering(t, [Buffer.from('HTTP/1.1 400 No\r\n\r\n')], true),
    },
    { what: 'nothing at all', code: 'http_protocol', server: await answering(t, [], true) },
    { what: 'the end after the preface', code: 'http_protocol', server: await answering(t, [preface], true) },
    { what: 'frames before settings', code: 'http_protocol', server: await answering(t, [h2Head(STATUS_200, whole)]) },
    { what: 'RST_STREAM', code: 'http_protocol', server: await answering(t, [preface, rst(7)]) },
    { what: 'RST_STREAM without a reason', code: 'http_protocol', server: await answering(t, [preface, rst(0)]) },
    { what: 'RST_STREAM to cancel', code: 'http_protocol', server: await answering(t, [preface, rst(8)]) },
    {
      what: 'RST_STREAM in the middle of a body',
      code: 'http_protocol',
      server: await answering(t, [preface, h2Head(STATUS_200), h2Data('half'), rst(8)]),
    },
    {
      what: 'a reset in good order before the body has its length',
      code: 'http_protocol',
      server: await answering(t, [
        preface,
        h2Head(block(literalHeader('content-length', '9'))),
        h2Data('half'),
        rst(0),
      ]),
    },
    {
      what: 'the end in the middle of a body',
      code: 'http_protocol',
      server: await answering(t, [preface, h2Head(STATUS_200), h2Data('half')], true),
    },
    { what: 'GOAWAY', code: 'http_protocol', server: await answering(t, [preface, goaway(0, 0)]) },
    { what: 'GOAWAY for HTTP/1.1', code: 'http_protocol', server: await answering(t, [preface, goaway(0, 13)]) },
    {
      what: 'GOAWAY in the middle of a body',
      code: 'http_protocol',
      server: await answering(t, [preface, h2Head(STATUS_200), goaway(1, 2)]),
    },
    {
      what: '5001 header lines',
      code: 'http_headers_too_large',
      server: await answering(t, [preface, ...headersOf(block(...Array<Buffer>(5001).fill(literalHeader('a', 'b'))))]),
    },
    {
      what: '100 header lines of 4 KB, all but one from the table',
      code: 'http_headers_too_large',
      server: await answering(t, [preface, ...headersOf(tabled)]),
    },
    {
      what: 'hints that have 5001 header lines together',
      code: 'http_headers_too_large',
      server: await answering(t, [preface, ...Array<Buffer[]>(3).fill(hintsOf(1700)).flat()]),
    },
    {
      what: '129 trailers',
      code: 'http_headers_too_large',
      server: await answering(t, [
        preface,
        h2Head(STATUS_200),
        h2Data('ok'),
        h2Head(Buffer.concat(Array<Buffer>(129).fill(literalHeader('a', 'b'))), whole),
      ]),
    },
    {
      what: '100 000 header lines of one byte each',
      code: 'http_headers_too_large',
      server: await answering(t, [
        preface,
        h2Head(block(Buffer.alloc(16_000, 0x90)), END_STREAM),
        ...Array<Buffer>(5).fill(continuation(Buffer.alloc(16_000, 0x90))),
        continuation(Buffer.alloc(4000, 0x90), END_HEADERS),
      ]),
    },
    {
      what: 'endless CONTINUATION',
      code: 'http_headers_too_large',
      server: await flooding(t, [preface, h2Head(STATUS_200, 0)], continuation(filler(10))),
    },
    {
      what: 'endless empty CONTINUATION',
      code: 'http_headers_too_large',
      server: await flooding(t, [preface, h2Head(STATUS_200, 0)], continuation(Buffer.alloc(0))),
    },
    {
      what: 'endless 1xx',
      code: 'http_protocol',
      server: await flooding(t, [preface], h2Head(literalHeader(':status', '103'))),
    },
    { what: 'endless settings', code: 'http_protocol', server: await flooding(t, [preface], preface) },
    {
      what: 'endless window updates',
      code: 'http_protocol',
      server: await flooding(t, [preface], h2Frame(frameTypes.windowUpdate, { stream: 1, payload: uint32(1) })),
    },
    {
      what: 'endless GOAWAY that ends nothing',
      code: 'http_protocol',
      server: await flooding(t, [preface], goaway(1, 0)),
    },
    {
      what: 'endless promises',
      code: 'http_protocol',
      server: await flooding(t, [preface], promise),
    },
    {
      what: 'endless other roads to the server',
      code: 'http_protocol',
      server: await flooding(t, [preface], h2Frame(10, { stream: 1, payload: Buffer.from('\0\0h2=":1"') })),
    },
    {
      what: 'endless pings',
      code: 'http_protocol',
      server: await flooding(t, [preface], h2Frame(frameTypes.ping, { payload: Buffer.alloc(8) })),
    },
    {
      what: 'endless empty data',
      code: 'http_protocol',
      server: await flooding(t, [preface, h2Head(STATUS_200)], h2Data('')),
    },
    {
      what: 'endless frames of an unknown type',
      code: 'http_protocol',
      server: await flooding(t, [preface], h2Frame(99, { payload: Buffer.alloc(100) })),
    },
    {
      what: 'endless priorities',
      code: 'http_protocol',
      server: await flooding(t, [preface], h2Frame(frameTypes.priority, { stream: 1, payload: Buffer.alloc(5) })),
    },
    { what: 'a window beyond its end', code: 'http_protocol', server: await answering(t, [settings(4, 0x80000000)]) },
    {
      what: 'a window that grows beyond its end',
      code: 'http_protocol',
      server: await answering(t, [
        preface,
        ...Array<Buffer>(2).fill(h2Frame(frameTypes.windowUpdate, { payload: uint32(0x7fffffff) })),
      ]),
    },
    {
      what: 'headers without a status',
      code: 'http_protocol',
      server: await answering(t, [preface, h2Head(literalHeader('a', 'b'), whole)]),
    },
    {
      what: 'headers of a connection',
      code: 'http_protocol',
      server: await answering(t, [preface, h2Head(block(literalHeader('connection', 'close')), whole)]),
    },
    {
      what: 'a body shorter than its length',
      code: 'http_protocol',
      server: await answering(t, [
        preface,
        h2Head(block(literalHeader('content-length', '10'))),
        h2Data('hello', END_STREAM),
      ]),
    },
    {
      what: 'a reset instead of an answer',
      code: 'tcp_reset',
      server: await startTcpServer(t, (socket) => socket.once('data', () => socket.resetAndDestroy())),
    },
  ];
  for (const { what, code, server } of cases) {
    const result = await probe(server);
    t.match(result, { success: false, error: { code } }, what);
    t.ok(isResult(result).ok, `${what}: of the schema`);
    t.ok(server.received.subarray(0, clientPreface.length).equals(clientPreface), `${what}: asked in HTTP/2`);
  }
});

t.test('http over HTTP/2 waits no longer than its deadline, whatever a server holds back', async (t) => {
  const cases = [
    { what: 'no frame at all', frames: [] },
    { what: 'settings and no answer', frames: [serverPreface] },
    { what: 'headers that never end', frames: [serverPreface, h2Head(STATUS_200, 0)] },
    { what: 'a body that never ends', frames: [serverPreface, h2Head(STATUS_200), h2Data('half')] },
    {
      what: 'a promise nobody asked for',
      frames: [serverPreface, promise],
    },
  ];
  for (const { what, frames } of cases) {
    const clock = new FakeClock();
    const server = await answering(t, frames);
    const before = openSockets();
    const running = http.run(spec(server), aContext({ clock }));
    await until(`${what}: asked`, () => server.received.length > clientPreface.length);
    clock.advance(10_000);
    const result = await running;
    t.match(result, { success: false, error: { code: 'http_timeout' } }, what);
    t.ok(isResult(result).ok, what);
    await until(`${what}: no socket is left`, () => server.open === 0 && openSockets() <= before);
    t.equal(clock.pendingTimers, 0, `${what}: no timer is left`);
  }
});

t.test('http over HTTP/2 accepts 100 frames in addition to those of the response, and no more', async (t) => {
  const answer = [h2Head(STATUS_200), h2Data('ok', END_STREAM)];
  const ping = h2Frame(frameTypes.ping, { payload: Buffer.alloc(8) });
  for (const [what, frame] of Object.entries({ settings: serverPreface, pings: ping })) {
    const most = Array<Buffer>(99).fill(frame);
    t.match(await probe(await answering(t, [serverPreface, ...most, ...answer])), { success: true, body: 'ok' }, what);
    const result = await probe(await answering(t, [serverPreface, ...most, ping, ...answer]));
    t.match(result, { success: false, error: { code: 'http_protocol', message: /more than 100 frames/ } }, what);
  }
});

t.test('http over HTTP/2 ends as soon as a server breaks the rules of framing', async (t) => {
  for (const [what, frame] of Object.entries(broken)) {
    for (const before of [[], [h2Head(STATUS_200), h2Data('half')]]) {
      const clock = new FakeClock();
      const server = await answering(t, [serverPreface, ...before, frame]);
      const running = http.run(spec(server), aContext({ clock }));
      let isOver = false;
      void running.finally(() => {
        isOver = true;
      });
      await until(`${what}: the server is told`, () => isOver || framesIn(server.received).includes(frameTypes.goaway));
      clock.advance(250);
      const result = await running;
      t.match(result, { success: false, error: { code: 'http_protocol', message: /not valid HTTP\/2/ } }, what);
      t.equal(result.status_code, before.length > 0 ? 200 : null, `${what}: what came before it is kept`);
      t.equal(clock.pendingTimers, 0, `${what}: no timer is left`);
    }
  }
});

t.test('http over HTTP/2 and TLS ends as soon as a server breaks the rules of framing', async (t) => {
  const clock = new FakeClock();
  let received = Buffer.alloc(0);
  const server = await startTlsServer(t, { ...tlsIdentity('good'), ALPNProtocols: ['h2'] }, (socket) => {
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
    });
    socket.once('data', () => socket.write(Buffer.concat([serverPreface, broken['data on no stream']])));
  });
  const running = http.run(aSpec('http', `https://127.0.0.1:${server.port}/`), aContext({ clock }));
  await until('the server is told', () => framesIn(received).includes(frameTypes.goaway));
  clock.advance(250);
  t.match(await running, { success: false, error: { code: 'http_protocol', message: /not valid HTTP\/2/ } });
  await until('the connection is closed', () => server.open === 0);
});

t.test('http over HTTP/2 takes no patient server for one that broke the rules', async (t) => {
  const clock = new FakeClock();
  const ping = h2Frame(frameTypes.ping, { payload: Buffer.alloc(8) });
  const body = 'x'.repeat(16_000);
  let finish = () => {};
  const server = await startTcpServer(t, (socket) => {
    socket.once('data', () => {
      const chunks = Array<Buffer>(60).fill(h2Data(body));
      socket.write(Buffer.concat([serverPreface, ping, h2Head(STATUS_200), ...chunks]));
    });
    finish = () => socket.write(h2Data('end', END_STREAM));
  });
  const params = { http_version: '2', method: 'POST', body: 'y'.repeat(32_768) } as const;
  const running = http.run(aSpec('http', `http://127.0.0.1:${server.port}/`, params), aContext({ clock }));
  const answered = [frameTypes.settings, frameTypes.ping, frameTypes.windowUpdate];
  // the first settings and the first window are the preface of the client
  const sent = () => framesIn(server.received).slice(2);
  await until('everything is acknowledged', () => answered.every((type) => sent().includes(type)));
  for (let looks = 0; looks < 8; looks += 1) {
    clock.advance(250);
    await nextTurn();
  }
  finish();
  t.match(await running, { success: true, status_code: 200, response_size: 60 * 16_000 + 3 });
});

t.test('http over HTTP/2 takes what is odd but whole', async (t) => {
  const cases = [
    {
      what: 'GOAWAY before the answer it still gives',
      frames: [goaway(1, 0), h2Head(STATUS_200), h2Data('ok', END_STREAM)],
    },
    { what: 'trailers', frames: [h2Head(STATUS_200), h2Data('ok'), h2Head(literalHeader('x', 'y'), whole)] },
    { what: 'a reset in good order after the answer', frames: [h2Head(STATUS_200), h2Data('ok', END_STREAM), rst(0)] },
    {
      what: 'a few pings',
      frames: [
        ...Array<Buffer>(5).fill(h2Frame(frameTypes.ping, { payload: Buffer.alloc(8) })),
        h2Head(STATUS_200),
        h2Data('ok', END_STREAM),
      ],
    },
    {
      what: 'a NUL in a header, which is left out',
      frames: [h2Head(block(literalHeader('x', 'a\0b'))), h2Data('ok', END_STREAM)],
    },
  ];
  for (const { what, frames } of cases) {
    const result = await probe(await answering(t, [serverPreface, ...frames]));
    t.match(result, { success: true, status_code: 200, body: 'ok', http_version: '2' }, what);
    t.strictSame(result.headers, {}, what);
  }
});

t.test('http over HTTP/2 cuts a bomb at 1 MiB', async (t) => {
  const bomb = brotliCompressSync(Buffer.alloc(8 * 1024 * 1024)).toString('latin1');
  const head = h2Head(block(literalHeader('content-encoding', 'br')));
  const result = await probe(await answering(t, [serverPreface, head, h2Data(bomb, END_STREAM)]));
  t.match(result, { success: true, status_code: 200, response_size: bomb.length, body_truncated: true });
});

t.test('http over HTTP/2 reads as many headers as over HTTP/1.1', async (t) => {
  const cases = {
    '5000 header lines': block(...Array<Buffer>(5000).fill(literalHeader('a', 'b'))),
    '140 KB, the longest line of 60 KB': block(filler(60_000), filler(40_000), filler(40_000)),
    '60 lines of 4 KB, all but one from the table': tabled.subarray(0, -40),
  };
  for (const [what, headers] of Object.entries(cases)) {
    const result = await probe(await answering(t, [serverPreface, ...headersOf(headers, 0), h2Data('ok', END_STREAM)]));
    t.match(result, { success: true, status_code: 200, body: 'ok' }, what);
    t.ok(isResult(result).ok, `${what}: of the schema`);
  }
});
