// alone: measures the memory of its process
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { until } from '@vantage/shared/_support/until.js';
import { LINK_PATH, LINK_SUBPROTOCOL } from '@vantage/shared/protocol/limits.js';
import t, { type Test } from 'tap';
import { aHeartbeat } from './_support/heartbeats.js';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { runProbe } from './_support/probes.js';
import { startStack, type TestApi } from './_support/stack.js';

// Small inputs that would become large: compressed bodies, compressed frames, announced lengths, floods of control
// frames.

const ZEROS = Buffer.alloc(64 * 1024 * 1024);
/** The best quality takes seconds for them; 12 kB are as good a bomb as 106 bytes. */
const FAST_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const BOMB = gzipSync(ZEROS, { level: 9 });
const small = Buffer.from('{"name":"x"}');

/** Content codings, alone, combined and spelled differently, with their bodies. */
const bodies: readonly (readonly [string, Buffer])[] = [
  ['gzip', gzipSync(small)],
  ['x-gzip', gzipSync(small)],
  ['GZIP', gzipSync(small)],
  ['deflate', deflateSync(small)],
  ['deflate', deflateRawSync(small)],
  ['br', brotliCompressSync(small)],
  ['zstd', Buffer.from('28b52ffd0460', 'hex')],
  ['compress', Buffer.from('1f9d90', 'hex')],
  ['gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(small)))],
  ['identity, gzip', gzipSync(small)],
  ['gzip, identity', gzipSync(small)],
  ['gzip;q=1', gzipSync(small)],
  ['*', small],
  ['none', small],
  ['', gzipSync(small)],
  ['gzip', gzipSync(small).subarray(0, 12)],
  ['gzip', Buffer.concat([gzipSync(small), randomBytes(100)])],
  ['gzip', small],
  ['gzip', BOMB.subarray(0, 32 * 1024)],
  ['gzip, gzip', gzipSync(BOMB)],
  ['br', brotliCompressSync(ZEROS, FAST_BROTLI)],
  ['identity', gzipSync(small)],
  ['Identity', BOMB.subarray(0, 32 * 1024)],
];

/** Status of a POST whose body is sent unchanged. */
async function post(
  api: TestApi,
  path: string,
  encoding: string,
  body: Buffer,
  headers: Readonly<Record<string, string>> = {},
) {
  const authorization = { authorization: `Bearer ${api.token}` };
  const response = await fetch(new URL(path, api.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization, 'content-encoding': encoding, ...headers },
    body: new Uint8Array(body),
  });
  const text = await response.text();
  return { status: response.status, text };
}

/** An account may have one import under way: others at the same time are refused for that reason. */
const IMPORT = '/v1/monitors/import';
const paths = ['/v1/monitors', '/v1/auth/login', '/v1/probe/tcp', '/v1/nodes/enroll', IMPORT];

t.test('no body is decompressed, whatever its headers claim', async (t) => {
  const { api } = await startStack(t);
  const { heartbeat } = await aHeartbeat(api, { name: 'job' });
  const before = process.memoryUsage.rss();
  let asked = 0;
  for (const path of paths) {
    const answers = await Promise.all(bodies.map(([encoding, body]) => post(api, path, encoding, body)));
    t.same(
      answers.filter(({ status }) => status !== 400 && !(status === 409 && path === IMPORT)),
      [],
      path,
    );
    asked += answers.length;
  }
  const large = await post(api, '/v1/monitors', 'gzip', BOMB);
  t.equal(large.status, 413);
  const pings = [];
  for (const [encoding, body] of bodies) pings.push(await post(api, `/hb/${heartbeat.token}`, encoding, body));
  t.ok(
    pings.every(({ status }) => status === 200),
    'a ping has any body',
  );
  asked += pings.length;
  t.comment(`${asked} requests`);
  t.ok(process.memoryUsage.rss() - before < 150 * 1024 * 1024, 'one bomb is 64 MB');
});

const UPGRADE = `GET ${LINK_PATH} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: ${LINK_SUBPROTOCOL}\r\n`;

interface RawLink {
  readonly socket: Socket;
  readonly head: string;
  readonly received: () => Buffer;
}

/** A hand-written WebSocket (RFC 6455 section 5.2): it sends exactly what the test says. */
async function openRaw(t: Test, url: string, extensions = ''): Promise<RawLink> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  t.teardown(() => socket.destroy());
  let received = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
  });
  socket.write(`${UPGRADE}${extensions === '' ? '' : `Sec-WebSocket-Extensions: ${extensions}\r\n`}\r\n`);
  await until('the upgrade', () => received.includes('\r\n\r\n') || socket.destroyed);
  const end = received.indexOf('\r\n\r\n') + 4;
  const head = received.subarray(0, end).toString();
  received = received.subarray(end);
  return { socket, head, received: () => received };
}

const noMask = Buffer.alloc(4);
/** A masked frame whose first byte is given; `length` may be false. */
function frame(first: number, payload: Buffer, length = BigInt(payload.length)): Buffer {
  const size =
    length < 126n
      ? Buffer.from([0x80 | Number(length)])
      : Buffer.concat([Buffer.from([0x80 | 127]), Buffer.from(length.toString(16).padStart(16, '0'), 'hex')]);
  return Buffer.concat([Buffer.from([first]), size, noMask, payload]);
}

const offers = [
  'permessage-deflate',
  'permessage-deflate; client_max_window_bits',
  'permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=15; client_max_window_bits=15',
  'permessage-deflate; server_max_window_bits=8, permessage-deflate',
  'x-webkit-deflate-frame',
  'permessage-bzip2, deflate-stream',
  'permessage-deflate; x=y',
  Array.from({ length: 200 }, () => 'permessage-deflate').join(', '),
];

const hostile: Readonly<Record<string, Buffer>> = {
  'a compressed frame': frame(0xc2, deflateRawSync(ZEROS, { level: 9 }).subarray(0, 60_000)),
  'a small compressed frame': frame(0xc2, deflateRawSync(small)),
  'a compressed ping': frame(0xc9, Buffer.alloc(0)),
  'reserved bit 2': frame(0xa2, small),
  'reserved bit 3': frame(0x92, small),
  'reserved opcode 3': frame(0x83, small),
  'reserved opcode 15': frame(0x8f, small),
  'a continuation without a start': frame(0x80, small),
  'a fragment inside a message': Buffer.concat([frame(0x02, small), frame(0x02, small)]),
  'a ping in fragments': frame(0x09, small),
  'a ping of 126 bytes': Buffer.concat([Buffer.from([0x89, 0xfe, 0, 126]), noMask, Buffer.alloc(126)]),
  'two gibibytes announced': frame(0x82, Buffer.alloc(10), 2n ** 31n),
  'more announced than can be addressed': frame(0x82, Buffer.alloc(10), 2n ** 63n - 1n),
  'a length with the highest bit': frame(0x82, Buffer.alloc(10), 2n ** 64n - 1n),
  'a mebibyte and a byte': frame(0x82, Buffer.alloc(10), 2n ** 20n + 1n),
  'fragments beyond a mebibyte': Buffer.concat(
    Array.from({ length: 20 }, (_, at) => frame(at === 0 ? 0x02 : 0x00, Buffer.alloc(65_536))),
  ),
  'an unmasked frame': Buffer.from([0x82, 1, 0]),
  text: frame(0x81, small),
  'text that is not UTF-8': frame(0x81, Buffer.from([0xff])),
  'a close of one byte': frame(0x88, Buffer.from([3])),
  'a close with an invalid code': frame(0x88, Buffer.from([0x03, 0xed])),
  'a hello of 65 kB': frame(0x82, Buffer.alloc(65_537, 0x0a)),
  'a thousand empty fragments': Buffer.concat([
    frame(0x02, Buffer.alloc(0)),
    ...Array.from({ length: 2_000 }, () => frame(0x00, Buffer.alloc(0))),
  ]),
};

t.test(
  'no link is compressed, even if the peer offers it, and a frame that is compressed or has a false length ends its link',
  async (t) => {
    const { api } = await startStack(t);
    const honest = await PeerAgent.connect(t, api.url, await enrollPeer(api));
    for (const offer of offers) {
      const { head, socket } = await openRaw(t, api.url, offer);
      t.notMatch(head.toLowerCase(), /sec-websocket-extensions/, offer.slice(0, 60));
      socket.destroy();
    }
    const before = process.memoryUsage.rss();
    for (const [name, bytes] of Object.entries(hostile)) {
      const { socket, received } = await openRaw(t, api.url, 'permessage-deflate');
      socket.write(bytes);
      await until(`${name} to end the link`, () => socket.readableEnded || socket.destroyed);
      t.ok(
        received().length < 200,
        `${name}: ${received()
          .toString('latin1')
          .replaceAll(/[^ -~]/g, '.')}`,
      );
    }
    t.ok(process.memoryUsage.rss() - before < 100 * 1024 * 1024, 'no memory is allocated for announced lengths');
    const body = { target: '127.0.0.1:1', node_id: honest.identity.nodeId };
    t.match(await runProbe(api, 'tcp', body), { status: 'completed' });
    t.ok(honest.isOpen);
    t.comment(`${offers.length} offers, ${Object.keys(hostile).length} frames`);
  },
);

t.test('a flood of control frames is answered no faster than it is read, and does not slow other peers', async (t) => {
  const { api } = await startStack(t);
  const honest = await PeerAgent.connect(t, api.url, await enrollPeer(api));
  const pings = Buffer.concat(Array.from({ length: 5_000 }, () => frame(0x89, Buffer.alloc(125))));
  const pongs = Buffer.concat(Array.from({ length: 5_000 }, () => frame(0x8a, Buffer.alloc(125))));
  const before = process.memoryUsage.rss();
  let sent = 0;
  for (const [flood, isDeaf] of [
    [pings, true],
    [pings, false],
    [pongs, false],
  ] as const) {
    const { socket } = await openRaw(t, api.url);
    if (isDeaf) socket.pause();
    const pump = () => {
      sent += 5_000;
      if (!socket.destroyed && socket.write(flood)) setImmediate(pump);
    };
    socket.on('drain', pump);
    pump();
    const body = { target: '127.0.0.1:1', node_id: honest.identity.nodeId };
    for (let probe = 0; probe < 3; probe += 1) t.match(await runProbe(api, 'tcp', body), { status: 'completed' });
    socket.destroy();
  }
  t.ok(honest.isOpen);
  t.ok(process.memoryUsage.rss() - before < 200 * 1024 * 1024);
  t.comment(`${sent} control frames`);
});
