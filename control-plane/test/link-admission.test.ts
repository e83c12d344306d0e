import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { LINK_PATH, LINK_SUBPROTOCOL, MAX_FRAME_BYTES } from '@vantage/shared/protocol/limits.js';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { startReplica, startStack } from './_support/stack.js';

const controlUrls = ['https://one.example', 'https://two.example:8443'];
const settings = { VANTAGE_CONTROL_URLS: controlUrls.join(', ') };
const { api, database } = await startStack(t, settings);

t.test('agents beyond the accepted rate get a time to return, each later than the previous one', async (t) => {
  // the rate is that of a clock that stands still
  const { api, controlPlane } = await startStack(t, { VANTAGE_LINK_RATE: '1' }, new FakeClock(Date.now()));
  const identity = await enrollPeer(api);
  const peer = await PeerAgent.connect(t, api.url, identity);
  const waits: number[] = [];
  for (let i = 0; i < 4; i += 1) {
    const socket = new WebSocket(new URL(LINK_PATH, api.url.replace(/^http/, 'ws')), LINK_SUBPROTOCOL);
    socket.on('error', () => {});
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    t.equal(response.statusCode, 503);
    waits.push(Number(response.headers['retry-after']));
    socket.terminate();
  }
  t.ok(
    waits.every((seconds, i) => seconds >= 1 && seconds >= (waits[i - 1] ?? 0)),
    waits.join(', '),
  );
  t.ok((waits[3] ?? 0) >= 3, 'the fourth comes after the others');
  t.ok(peer.isOpen && controlPlane.publicUrl, 'linked agents stay linked');
});

/**
 * Opens `count` silent sockets from an address; `refusal` dials once more and returns the status of the refusal, and true
 * if it has a Retry-After.
 */
async function silentSockets(t: Test, url: string, address: string, count: number) {
  const dial = () => {
    const target = new URL(LINK_PATH, url.replace(/^http/, 'ws'));
    const socket = new WebSocket(target, LINK_SUBPROTOCOL, { headers: { 'x-forwarded-for': address } });
    socket.on('error', () => {});
    t.teardown(() => socket.terminate());
    return socket;
  };
  const open = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = dial();
      await once(socket, 'open');
      return socket;
    }),
  );
  const refusal = async () => {
    const [, response] = (await once(dial(), 'unexpected-response')) as [unknown, IncomingMessage];
    return [response.statusCode, Number(response.headers['retry-after']) >= 1];
  };
  return { open, refusal };
}

t.test('unproven sockets are bounded, by address and in all', async (t) => {
  const settings = {
    VANTAGE_LINK_UNPROVEN: '5',
    VANTAGE_LINK_UNPROVEN_PER_ADDRESS: '2',
    VANTAGE_TRUSTED_PROXIES: '127.0.0.1',
    VANTAGE_LINK_RATE: '10000',
  };
  // no socket is closed because its handshake takes long
  const { api } = await startStack(t, settings, new FakeClock(Date.now()));
  const identity = await enrollPeer(api);
  const first = await silentSockets(t, api.url, '2001:db8::1', 2);
  t.strictSame(await first.refusal(), [503, true]);
  const neighbour = await silentSockets(t, api.url, '2001:db8::2', 0);
  t.strictSame(await neighbour.refusal(), [503, true], 'the bound applies to a network, not to each of its addresses');
  const proven = { forwardedFor: '198.51.100.1' };
  for (let i = 0; i < 3; i += 1) await PeerAgent.connect(t, api.url, identity, proven);
  const local = await silentSockets(t, api.url, '127.0.0.1', 3);
  t.equal(local.open.length, 3, 'a proven socket does not count any more, and this machine has no bound of its own');
  t.strictSame(await local.refusal(), [503, true], 'but the total bound applies');
  first.open[0]?.terminate();
  await until('room', async () => {
    const peer = await PeerAgent.dial(t, api.url, identity, proven).catch(() => null);
    return peer !== null;
  });
});

t.test('no link is compressed: ten thousand would fill the memory', async (t) => {
  const target = new URL(LINK_PATH, api.url.replace(/^http/, 'ws'));
  const socket = new WebSocket(target, LINK_SUBPROTOCOL, { perMessageDeflate: true });
  t.teardown(() => socket.terminate());
  const [response] = (await once(socket, 'upgrade')) as [IncomingMessage];
  t.equal(response.headers['sec-websocket-extensions'], undefined);
});

t.test('a message above a megabyte ends its link before it is read', async (t) => {
  const peer = await PeerAgent.connect(t, api.url, await enrollPeer(api));
  peer.sendBytes(Buffer.alloc(MAX_FRAME_BYTES + 1));
  t.equal((await peer.waitForClose()).code, 1009);
});

t.test(
  'agents learn the addresses of the control plane at enrollment and over the link, also when one drains',
  async (t) => {
    const other = await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url, ...settings });
    const identity = await enrollPeer(api);
    t.same(identity.controlUrls, controlUrls);
    const peer = await PeerAgent.connect(t, other.listenUrl, identity);
    const { welcome } = await peer.waitFor('the welcome', (frame) => frame.welcome !== null);
    t.same(welcome?.config?.controlUrls, controlUrls);
    await other.stop();
    t.equal((await peer.waitForClose()).reason, 'CLOSE_DRAINING');
    t.same(peer.frames.find((frame) => frame.close)?.close?.controlUrls, controlUrls);
  },
);
