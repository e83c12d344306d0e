import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from '@vantage/shared/_support/until.js';
import { LINK_PATH, LINK_SUBPROTOCOL } from '@vantage/shared/protocol/limits.js';
import t, { type Test } from 'tap';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { runProbe } from './_support/probes.js';
import { startStack } from './_support/stack.js';

const UPGRADE = [
  `GET ${LINK_PATH} HTTP/1.1`,
  'Host: x',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  `Sec-WebSocket-Protocol: ${LINK_SUBPROTOCOL}`,
  '',
  '',
].join('\r\n');
const noMask = [0, 0, 0, 0];

/** Bytes that a slow peer sends at once, and those it then sends repeatedly, one a second (RFC 6455, section 5.2). */
const slowPeers: Readonly<Record<string, readonly [string | Buffer, Buffer]>> = {
  'before the upgrade': [`GET ${LINK_PATH} HTTP/1.1\r\nHost: x\r\nX-Slow: `, Buffer.from('a')],
  'before hello': [UPGRADE, Buffer.from([0x89, 0x80, ...noMask])],
  'inside a frame': [
    Buffer.concat([Buffer.from(UPGRADE), Buffer.from([0x82, 0xfe, 0x03, 0xe8, ...noMask])]),
    Buffer.alloc(1_000),
  ],
  'in fragments without end': [
    Buffer.concat([Buffer.from(UPGRADE), Buffer.from([0x02, 0x81, ...noMask, 0x0a])]),
    Buffer.from([0x00, 0x81, ...noMask, 0x0a]),
  ],
};

async function slowPeer(t: Test, url: string, [atOnce, slowly]: readonly [string | Buffer, Buffer]): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.on('error', () => {});
  socket.resume();
  await once(socket, 'connect');
  socket.write(atOnce);
  let at = 0;
  const timer = setInterval(() => {
    socket.write(slowly.subarray(at % slowly.length, (at % slowly.length) + 1));
    at += 1;
  }, 1_000);
  socket.once('close', () => clearInterval(timer));
  return socket;
}

t.test('a peer that sends one byte a second is cut off before it has a link, at any stage', async (t) => {
  const { api } = await startStack(t);
  const honest = await PeerAgent.connect(t, api.url, await enrollPeer(api));
  const peers = await Promise.all(
    Object.entries(slowPeers).map(async ([name, said]) => ({ name, socket: await slowPeer(t, api.url, said) })),
  );
  for (const { name, socket } of peers) {
    await until(`the peer ${name} to be cut off`, () => socket.destroyed, 150_000);
    t.pass(name);
  }
  const body = { target: '127.0.0.1:1', node_id: honest.identity.nodeId };
  t.match(await runProbe(api, 'tcp', body), { status: 'completed' });
  t.ok(honest.isOpen, 'over the link it had from the beginning');
});

t.test('a node that asks and never reads is cut off before the responses fill the memory', async (t) => {
  const { api } = await startStack(t);
  const honest = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'honest' }));
  const deaf = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'deaf' }));
  deaf.stopReading();
  const before = process.memoryUsage.rss();
  // an honest response is 30 bytes; systems buffer some megabytes of them on both sides
  for (let sent = 0; sent < 2_000_000 && deaf.isOpen; sent += 1_000) {
    for (let index = 0; index < 1_000; index += 1) deaf.send({ heartbeat: { sequence: index + 1, transmitMs: 1 } });
    await deaf.flushed();
  }
  await until('it to be cut off', () => !deaf.isOpen);
  t.ok(process.memoryUsage.rss() - before < 150 * 1024 * 1024, 'both ends of it are this process');
  t.ok(honest.isOpen);
});
